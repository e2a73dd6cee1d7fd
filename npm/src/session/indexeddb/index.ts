export { SessionCatalog, type SessionInfo, type TakenIn } from "./catalog.js";
export type { StoreClock } from "./clock.js";
export { type OpenStoreOptions, openStore } from "./open.js";
export type { StorageEstimate } from "./quota.js";
export { IndexedDbStore, type IndexedDbStoreOptions } from "./store.js";
