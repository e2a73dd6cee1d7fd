import { checkNames } from "../../names.js";
import { SessionError } from "../call.js";
import { given } from "../given.js";
import { MemoryStore } from "../memory-store.js";
import type { SessionStore } from "../store.js";
import { IndexedDbStore, type IndexedDbStoreOptions } from "./store.js";

/** What means that nothing can be kept here, not just now. */
const hopeless = ["unavailable", "quota", "failed", "version", "blocked"];

/** How a store is opened. */
export interface OpenStoreOptions extends IndexedDbStoreOptions {
  /** What to do where nothing can be kept: a store in memory, or the error. Default `memory`. */
  fallback?: "memory" | "none" | undefined;
  /** Told why the store is in memory: say it to the user. */
  onFallback?: ((error: SessionError) => void) | undefined;
}

/**
 * Opens a session in IndexedDB; where the browser keeps nothing (some private modes, policies), one in memory, whose
 * `persisted` is false.
 *
 * @throws SessionError `gone`; with `fallback: "none"` everything that `open` throws
 */
export async function openStore(options: OpenStoreOptions = {}): Promise<SessionStore> {
  const { fallback = "memory", onFallback, ...rest } = given(options, "options");
  const known = { id: 1, database: 1, clock: 1, locks: 1, fallback, onFallback, version: 1 };
  checkNames("option of a store", options, known);
  const store = new IndexedDbStore(rest);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    if (fallback !== "memory" || !(error instanceof SessionError) || !hopeless.includes(error.code))
      throw error;
    onFallback?.(error);
    const { clock } = rest;
    return new MemoryStore({ id: store.id, ...(clock ? { now: () => clock.now() } : {}) });
  }
}
