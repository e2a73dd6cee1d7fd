// One name to import the contract types from.
export * from "./types/index.js";
