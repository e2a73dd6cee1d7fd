/** A session as its store has it. */
import { ready } from "../engine/load.js";
import { NAME, type SessionStore, type StoredEntry, TIPS } from "./store.js";
import { SessionTree } from "./tree.js";
import type { NewSessionOptions, SessionEntry, SessionHeader } from "./types.js";

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

/** So many entries are read in slices, so that the page has its turn. */
const MANY = 20_000;

/**
 * Reads a session, with the leaf where the branch ends.
 *
 * @param known what was read before, to which only what is new is added
 */
export async function readStore(
  store: SessionStore,
  branch: string,
  options: NewSessionOptions,
  known?: Pick<Stored, "tree" | "lastSeq">,
): Promise<Stored> {
  const loading = ready();
  if (loading) await loading;
  const since = known ? { cursor: { seq: known.lastSeq } } : {};
  const [header, stored, tip, name] = [
    await store.header(),
    await store.scanEntries({ order: "asc", ...since }),
    await store.value(TIPS, branch),
    await store.value(NAME, ""),
  ];
  const tree = await treeOf(store.id, options, header, known?.tree, stored);
  if (tip === null) tree.resetLeaf();
  else if (typeof tip === "string" && tip !== tree.getLeafId() && tree.getEntry(tip)) tree.branch(tip);
  return {
    tree,
    isNew: header === undefined,
    lastSeq: stored.at(-1)?.seq ?? known?.lastSeq ?? 0,
    name: typeof name === "string" ? name : undefined,
  };
}

async function treeOf(
  id: string,
  options: NewSessionOptions,
  header: SessionHeader | undefined,
  known: SessionTree | undefined,
  stored: StoredEntry[],
): Promise<SessionTree> {
  if (known && stored.length === 0 && header) return known;
  const entries = stored.map(({ seq: _, ...entry }) => entry as SessionEntry);
  const all = known ? [...known.getEntries(), ...entries] : entries;
  if (!header && all.length === 0) return SessionTree.create({ ...options, id });
  const first = header ?? SessionTree.create({ ...options, id }).getHeader();
  if (all.length > MANY) return SessionTree.fromAsync(first, all, options);
  return SessionTree.from(first, all, options);
}
