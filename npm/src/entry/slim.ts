/** `steersman/slim`: without the module. The application gives it: `await init(source)`. */
export * from "../index.js";
