/** Sessions made of others. */
import { treeWrites } from "./branches.js";
import { SessionError } from "./call.js";
import { NAME, type SessionStore, setValue } from "./store.js";
import type { SessionTree } from "./tree.js";

/** What is copied, and where to. */
export interface ForkOptions {
  /** An empty store. Default: one in memory. */
  store?: SessionStore | undefined;
  /** Only the path to this entry. Default: all entries. */
  entryId?: string | undefined;
}

/** Puts a copy into a store. @throws SessionError `not_empty`, `unknown_entry` */
export async function forkInto(
  tree: SessionTree,
  store: SessionStore,
  name: string | undefined,
  entryId: string | undefined,
): Promise<SessionStore> {
  await store.open();
  if (await store.header()) throw new SessionError("not_empty");
  const copy =
    entryId === undefined ? tree.fork(store.id) : tree.createBranchedSession(entryId, { id: store.id });
  // A path may leave the entry with the name behind, and files of version 4 have it beside the tree; an export needs one.
  if (name && copy.getSessionName() !== name) copy.appendSessionInfo(name);
  const writes = treeWrites(copy);
  if (name) writes.push(setValue(NAME, "", name));
  await store.commit(writes);
  copy.dispose();
  return store;
}
