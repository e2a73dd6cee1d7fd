export { fileHandleLog } from "./file-handle.js";
export { JsonlStore, type JsonlStoreOptions } from "./jsonl-store.js";
export { type TextLog, textLog } from "./log.js";
export { listOpfs, type OpfsInfo, opfsLog, type OpfsOptions, OpfsStore, removeOpfs } from "./opfs.js";
export { remoteLog, type RemoteOptions, RemoteStore } from "./remote.js";
