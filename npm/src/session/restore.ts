/** A session as its store has it. */
import { ready } from "../engine/load.js";
import { NAME, type SessionStore, TIPS } from "./store.js";
import { SessionTree } from "./tree.js";
import type { NewSessionOptions, SessionEntry } from "./types.js";

/** What a store holds. */
export interface Stored {
  tree: SessionTree;
  /** Without a header: nobody has written yet. */
  isNew: boolean;
  /** The last number that was read. */
  lastSeq: number;
  /** The name that stands beside the tree. */
  name: string | undefined;
}

/** Reads a session, with the leaf where the branch ends. */
export async function readStore(
  store: SessionStore,
  branch: string,
  options: NewSessionOptions,
): Promise<Stored> {
  const loading = ready();
  if (loading) await loading;
  const [header, stored, tip, name] = [
    await store.header(),
    await store.scanEntries({ order: "asc" }),
    await store.value(TIPS, branch),
    await store.value(NAME, ""),
  ];
  const fresh = () => SessionTree.create({ ...options, id: store.id });
  const entries = stored.map(({ seq: _, ...entry }) => entry as SessionEntry);
  const tree =
    header || entries.length > 0
      ? SessionTree.from(header ?? fresh().getHeader(), entries, options)
      : fresh();
  if (tip === null) tree.resetLeaf();
  else if (typeof tip === "string" && tip !== tree.getLeafId() && tree.getEntry(tip)) tree.branch(tip);
  return {
    tree,
    isNew: header === undefined,
    lastSeq: stored.at(-1)?.seq ?? 0,
    name: typeof name === "string" ? name : undefined,
  };
}
