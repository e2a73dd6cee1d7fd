/** A session as its store has it. */
import { ready } from "../engine/load.js";
import { EntryPack } from "./entry-list.js";
import { NAME, type SessionStore, TIPS } from "./store.js";
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

/** What a session is made of, as a store has it. */
export interface Snapshot {
  header: SessionHeader | undefined;
  entries: (SessionEntry | EntryPack)[];
  /** The end of the branch. */
  tip: unknown;
  name: unknown;
  lastSeq: number;
}

/** A store that gives all of that at once. */
interface Snapshots {
  /** @param plain without packs: one may be damaged, and they are only copies */
  snapshot(branch: string, plain: boolean): Promise<Snapshot | undefined>;
}

/** So many entries are read in slices, so that the page has its turn. */
const MANY = 20_000;
/** So many, where nobody waits for them: they come while the page is in use. */
const SOME = 1000;

/**
 * Reads a session, with the leaf where the branch ends.
 *
 * @param known what was read before, to which only what is new is added
 * @param plain not from copies that the store keeps for reading fast
 */
export async function readStore(
  store: SessionStore,
  branch: string,
  options: NewSessionOptions,
  known?: Pick<Stored, "tree" | "lastSeq">,
  plain = false,
): Promise<Stored> {
  const loading = ready();
  if (loading) await loading;
  const whole = known ? undefined : await (store as Partial<Snapshots>).snapshot?.(branch, plain);
  const { header, entries, tip, name, lastSeq } = whole ?? (await readBy(store, branch, known));
  const tree = await treeOf(store.id, options, header, known?.tree, entries);
  if (tip === null) tree.resetLeaf();
  else if (typeof tip === "string" && tip !== tree.getLeafId() && tree.getEntry(tip)) tree.branch(tip);
  return {
    tree,
    isNew: header === undefined,
    lastSeq,
    name: typeof name === "string" ? name : undefined,
  };
}

async function readBy(
  store: SessionStore,
  branch: string,
  known: Pick<Stored, "lastSeq"> | undefined,
): Promise<Snapshot> {
  const since = known ? { cursor: { seq: known.lastSeq } } : {};
  const header = await store.header();
  const stored = await store.scanEntries({ order: "asc", ...since });
  return {
    header,
    entries: stored.map(({ seq: _, ...entry }) => entry as SessionEntry),
    tip: await store.value(TIPS, branch),
    name: await store.value(NAME, ""),
    lastSeq: stored.at(-1)?.seq ?? known?.lastSeq ?? 0,
  };
}

async function treeOf(
  id: string,
  options: NewSessionOptions,
  header: SessionHeader | undefined,
  known: SessionTree | undefined,
  entries: Snapshot["entries"],
): Promise<SessionTree> {
  if (known && entries.length === 0 && header) return known;
  const all = known ? [...known.getEntries(), ...entries] : entries;
  if (!header && all.length === 0) return SessionTree.create({ ...options, id });
  const first = header ?? SessionTree.create({ ...options, id }).getHeader();
  let count = 0;
  for (const entry of all) count += entry instanceof EntryPack ? entry.length : 1;
  if (count > (known ? SOME : MANY)) return SessionTree.fromAsync(first, all as SessionEntry[], options);
  return SessionTree.from(first, all as SessionEntry[], options);
}
