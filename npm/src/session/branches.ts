/** Named branches of a store: a name and a tip, over entries that all branches share. */
import { SessionError } from "./call.js";
import { given, givenStore, givenTree } from "./given.js";
import {
  LABELS,
  LANES,
  NAME,
  type SessionStore,
  type StoredEntry,
  type StoreWrite,
  setOrDelete,
  setValue,
  TIPS,
  type UsageRow,
} from "./store.js";
import type { SessionTree } from "./tree.js";
import type { SessionEntry } from "./types.js";

/** A new entry, without what the store gives it. */
export type NewEntry = { type: string; timestamp?: string; [member: string]: unknown };

/**
 * A new branch whose next entry follows `at` (`null`: a root).
 *
 * @throws SessionError `bad_name`, `branch_exists`, `unknown_entry`
 */
export async function createBranch(store: SessionStore, name: string, at: string | null): Promise<void> {
  if (given(name, "name", "string") === "" || name.includes("\0")) throw new SessionError("bad_name");
  if ((await givenStore(store).value(TIPS, name)) !== undefined) throw new SessionError("branch_exists");
  await moveTip(store, name, at);
}

/** Moves a branch to an entry, or to nothing. @throws SessionError `unknown_entry` */
export async function moveTip(store: SessionStore, name: string, to: string | null): Promise<void> {
  givenStore(store);
  if (to !== null && (await store.entries([to]))[0] === undefined) throw new SessionError("unknown_entry");
  await store.commit([setValue(TIPS, name, to)]);
}

/** Adds an entry to a branch and moves its tip, in one commit. @throws SessionError `unknown_branch` */
export async function appendTo(
  store: SessionStore,
  branch: string,
  id: string,
  entry: NewEntry,
): Promise<void> {
  const parentId = await tipOf(store, branch);
  const whole = { id, parentId, ...given(entry, "entry") } as unknown as SessionEntry;
  await store.commit([{ kind: "entry", entry: whole }, setValue(TIPS, branch, id)]);
}

/** Names the session; without a name it is taken away. */
export async function setName(store: SessionStore, name: string | undefined): Promise<void> {
  await givenStore(store).commit([setOrDelete(NAME, "", name)]);
}

/** Labels an entry, which may come later; without a label it is taken away. */
export async function setLabel(store: SessionStore, entry: string, label: string | undefined): Promise<void> {
  await givenStore(store).commit([setOrDelete(LABELS, entry, label)]);
}

/**
 * The writes that put a session into an empty store. The tip of `branch` is its leaf; a file of version 4 brings its own
 * branches, labels, values and usage.
 */
export function treeWrites(tree: SessionTree, branch = "main"): StoreWrite[] {
  const writes: StoreWrite[] = [{ kind: "header", header: givenTree(tree).getHeader() }];
  for (const entry of parentsFirst(tree)) writes.push({ kind: "entry", entry });
  const { values, usage } = tree.beside ?? { values: [], usage: [] };
  for (const row of usage) writes.push({ kind: "usage", row: row as UsageRow });
  for (const [namespace, key, value, isList] of values) {
    if (!isList) writes.push(setValue(namespace, key, value));
    else
      for (const item of value as unknown[])
        writes.push({ kind: "list", op: "append", namespace, key, value: item });
  }
  if (!tree.beside) writes.push(setValue(TIPS, branch, tree.getLeafId()));
  return writes;
}

/** Stores take an entry after its parent. In damaged files it comes later, or is not there: then the entry is a root. */
function parentsFirst(tree: SessionTree): SessionEntry[] {
  const roots = new Set(tree.getChildren(null));
  const there = new Set<string | null>();
  const waiting = new Map<string | null, SessionEntry[]>();
  const out: SessionEntry[] = [];
  for (const next of tree.getEntries()) {
    const open = [next];
    for (const entry of open) {
      const { id, parentId } = entry;
      if (roots.has(entry) || there.has(parentId)) {
        out.push(roots.has(entry) && typeof parentId === "string" ? { ...entry, parentId: null } : entry);
        there.add(id);
        for (const child of waiting.get(id) ?? []) open.push(child);
      } else if (waiting.get(parentId)?.push(entry) === undefined) waiting.set(parentId, [entry]);
    }
  }
  return out;
}

/** The part of a store that a fork takes. */
export type ForkScope =
  | { scope: "tree" }
  | {
      scope: "branch";
      branch: string;
      /** The last entry to take. Default: the tip. */
      entryId?: string;
      /** `before` leaves that entry out. */
      position?: "at" | "before";
    };

/**
 * The writes that make a new store of a part of another one. Entries keep ids and times; labels of copied entries and the
 * name come along, and with a whole tree the values of the application. Runs, lists and usage do not.
 *
 * @throws SessionError `unknown_branch`, `not_a_lane`, `not_on_branch`, `unsupported` (a reserved value that nobody knows)
 */
export async function forkWrites(store: SessionStore, scope: ForkScope): Promise<StoreWrite[]> {
  given(scope, "scope");
  givenStore(store);
  const whole = scope.scope === "tree";
  const entries = whole ? await store.scanEntries({ order: "asc" }) : await forkPath(store, scope);
  const copied = new Set(entries.map(({ id }) => id));
  const writes: StoreWrite[] = entries.map(({ seq: _, ...entry }) => ({
    kind: "entry",
    entry: entry as SessionEntry,
  }));
  const copy = async (namespace: string, wanted: (key: string) => boolean = () => true) => {
    for (const [key, value] of await store.scanValues(namespace))
      if (wanted(key)) writes.push(setValue(namespace, key, value));
  };
  const named = await store.namespaces();
  const known = [TIPS, NAME, LABELS, LANES, "pi.lane.state", "pi.result"];
  const own = named.filter((name) => !name.startsWith("pi."));
  const strange = (name: string) =>
    name.startsWith("pi.") && !known.includes(name) && !/^pi\.(op|pending)\./.test(name);
  if (named.some(strange)) throw new SessionError("unsupported");
  await copy(NAME);
  await copy(LABELS, (key) => copied.has(key));
  await copy(LANES, (key) => whole || key === scope.branch);
  if (whole) {
    await copy(TIPS);
    for (const namespace of own) await copy(namespace);
  } else writes.push(setValue(TIPS, scope.branch, entries.at(-1)?.id ?? null));
  return writes;
}

async function forkPath(
  store: SessionStore,
  { branch, entryId, position }: Extract<ForkScope, { scope: "branch" }>,
): Promise<StoredEntry[]> {
  const tip = await tipOf(store, branch);
  if ((await store.value(LANES, branch)) === undefined) throw new SessionError("not_a_lane");
  const path = tip === null ? [] : await store.scanBranch({ start: tip, order: "oldestFirst" });
  if (entryId === undefined) return path;
  const place = path.findIndex(({ id }) => id === entryId);
  if (place < 0) throw new SessionError("not_on_branch");
  return path.slice(0, position === "before" ? place : place + 1);
}

async function tipOf(store: SessionStore, branch: string): Promise<string | null> {
  const tip = await givenStore(store).value(TIPS, branch);
  if (tip === undefined) throw new SessionError("unknown_branch");
  return tip as string | null;
}
