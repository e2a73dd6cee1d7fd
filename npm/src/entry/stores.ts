/** `steersman/stores`: sessions as lines of text, in files, in OPFS, and on a server. */
export * from "../stores/index.js";
