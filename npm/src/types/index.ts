// The contract types. `export *` matters: it lets applications add to `CustomAgentMessages` by the package's name.
export * from "./approvals.js";
export * from "./compat.js";
export * from "./events.js";
export * from "./hooks.js";
export * from "./json.js";
export * from "./limits.js";
export * from "./messages.js";
export * from "./model.js";
export * from "./options.js";
export * from "./schema.js";
export * from "./stream.js";
export * from "./tools.js";
