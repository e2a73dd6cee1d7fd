/**
 * `steersman/session`: sessions as trees, files of pi, compaction. Works in the engine of the entry that the application
 * imports (`steersman`, or `steersman/external` after `await init()`).
 */
export * from "../session/index.js";
