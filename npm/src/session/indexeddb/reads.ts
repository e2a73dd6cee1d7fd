/** What is read of a session. No lock is needed for it. */
import { SessionError } from "../call.js";
import { endsAt, inOrder, pageOf, type Selection, select } from "../checks.js";
import type { BranchQuery, EntryQuery, ListPage, StoredEntry, UsageRow } from "../store.js";
import { blobAt, putBack } from "./blobs.js";
import type { Database, Transaction } from "./database.js";
import { type EntryRow, type SessionRow, within } from "./schema.js";

/** So many sequence numbers are read at a time: more would hold the page up. */
const WINDOW = 1000;
/** So many reads are under way at a time. */
const AHEAD = 4;

export const readRow = (db: Database, s: string): Promise<SessionRow | undefined> =>
  db.run(["sessions"], "readonly", (tx) => tx.objectStore("sessions").get(s));

export async function readEntries(
  db: Database,
  s: string,
  ids: readonly string[],
): Promise<(StoredEntry | undefined)[]> {
  const rows = await db.run(["entries"], "readonly", (tx) =>
    Promise.all(ids.map((id) => tx.objectStore("entries").get([s, id]))),
  );
  await restore(db, s, rows);
  return rows.map((row) => row && entryOf(row));
}

export function readValue(db: Database, s: string, ns: string, key: string): Promise<unknown> {
  return db.run(
    ["values"],
    "readonly",
    async (tx) => (await tx.objectStore("values").get([s, ns, key]))?.value,
  );
}

export async function scanValues(
  db: Database,
  s: string,
  ns: string,
  prefix: string,
): Promise<[string, unknown][]> {
  const to = above(prefix);
  const range =
    to === undefined ? within(s, ns) : IDBKeyRange.bound([s, ns, prefix], [s, ns, to], false, true);
  const rows = await db.run(["values"], "readonly", (tx) => tx.objectStore("values").getAll(range));
  return inOrder(rows.filter(({ key }) => key.startsWith(prefix)).map(({ key, value }) => [key, value]));
}

/** The least string above all that begin so, in the order of UTF-16 units. */
function above(prefix: string): string | undefined {
  const short = prefix.replace(/\uffff+$/, "");
  if (short === "") return undefined;
  return short.slice(0, -1) + String.fromCharCode(short.charCodeAt(short.length - 1) + 1);
}

export function namespaces(db: Database, s: string): Promise<string[]> {
  return db.run(["values"], "readonly", async (tx) => {
    const found: string[] = [];
    let cursor = await tx.objectStore("values").openKeyCursor(within(s));
    while (cursor) {
      const ns = cursor.key[1];
      found.push(ns);
      // The first key beyond this namespace.
      cursor = await cursor.continue([s, ns, []] as unknown as [string, string, string]);
    }
    return found;
  });
}

export function readList(
  db: Database,
  s: string,
  ns: string,
  key: string,
  page: ListPage | undefined,
): Promise<unknown[]> {
  const { order, limit } = pageOf(page);
  return db.run(["lists"], "readonly", async (tx) => {
    const lists = tx.objectStore("lists");
    const range = within(s, ns, key);
    if (order === "asc") return (await lists.getAll(range, limit)).map(({ value }) => value);
    const found: unknown[] = [];
    let cursor = await lists.openCursor(range, "prev");
    for (; cursor && found.length < limit; cursor = await cursor.continue()) found.push(cursor.value.value);
    return found;
  });
}

export async function scanUsage(db: Database, s: string): Promise<UsageRow[]> {
  const range = within(s);
  const rows = await db.run(["usage"], "readonly", (tx) =>
    tx.objectStore("usage").index("bySeq").getAll(range),
  );
  return rows.map(({ row, seq }) => ({ ...row, seq }) as UsageRow);
}

/** Entries by sequence number, in windows, several of them under way. */
export async function scanEntries(
  db: Database,
  s: string,
  query: EntryQuery & { order?: "asc" | "desc" },
): Promise<StoredEntry[]> {
  const rising = query.order === "asc";
  const { limit = Number.POSITIVE_INFINITY, cursor } = query;
  const rows = await db.run(["sessions", "entries"], "readonly", async (tx) => {
    const row = await tx.objectStore("sessions").get(s);
    const low = rising && cursor ? cursor.seq + 1 : 1;
    const high = !rising && cursor ? cursor.seq - 1 : (row?.nextSeq ?? 1) - 1;
    const found: EntryRow[] = [];
    let selected = 0;
    const under: Promise<EntryRow[]>[] = [];
    const size = Math.min(WINDOW, Math.max(limit, 50));
    let at = rising ? low : high;
    const inside = () => (rising ? at <= high : at >= low);
    while ((inside() || under.length > 0) && selected < limit) {
      for (; inside() && under.length < AHEAD; at += rising ? size : -size)
        under.push(rising ? window(tx, s, at, at + size - 1) : window(tx, s, at - size + 1, at));
      const rows = (await under.shift()) ?? [];
      if (!rising) rows.reverse();
      const { length } = found;
      for (const row of rows) found.push(row);
      // With `limit` only: what has been read of other types does not count.
      if (limit !== Number.POSITIVE_INFINITY)
        selected += select(found.slice(length).map(entryOf), query, rising).length;
    }
    await Promise.all(under);
    return found;
  });
  return restored(db, s, rows, query, rising);
}

/** The way from an entry to its root, then as it is asked for. */
export async function scanBranch(db: Database, s: string, query: BranchQuery): Promise<StoredEntry[]> {
  const rising = query.order === "oldestFirst";
  const rows = await db.run(["entries"], "readonly", (tx) => walk(tx, s, query, rising));
  return restored(db, s, rising ? rows.reverse() : rows, query, rising);
}

/**
 * A parent has a lower number than its children: what is before an entry is read in windows that grow, and an entry is
 * looked up only where the branch goes on before the window.
 */
async function walk(tx: Transaction, s: string, query: BranchQuery, rising: boolean): Promise<EntryRow[]> {
  const path: EntryRow[] = [];
  const { limit = Number.POSITIVE_INFINITY } = query;
  const stops = rising ? {} : query;
  const plain = query.type === undefined && query.customType === undefined && !query.cursor;
  let near = new Map<string, EntryRow>();
  let size = 32;
  for (let id = query.start; id !== ""; ) {
    let row = near.get(id);
    if (!row) {
      row = await tx.objectStore("entries").get([s, id]);
      if (!row) throw new SessionError("unknown_entry");
      size = Math.min(size * 2, WINDOW);
      const rows = await window(tx, s, row.seq - size, row.seq - 1);
      near = new Map(rows.map((each) => [each.id, each]));
    }
    path.push(row);
    if (endsAt(entryOf(row), stops as Selection)) break;
    if (!rising && plain && path.length >= limit) break;
    id = row.parentId;
  }
  return path;
}

function window(tx: Transaction, s: string, from: number, to: number): Promise<EntryRow[]> {
  return tx
    .objectStore("entries")
    .index("bySeq")
    .getAll(IDBKeyRange.bound([s, from], [s, to]));
}

async function restored(
  db: Database,
  s: string,
  rows: EntryRow[],
  query: Selection,
  rising: boolean,
): Promise<StoredEntry[]> {
  const wanted = new Set(select(rows.map(entryOf), query, rising).map(({ id }) => id));
  const chosen = rows.filter(({ id }) => wanted.has(id));
  await restore(db, s, chosen);
  return chosen.map(entryOf);
}

const entryOf = ({ entry, seq }: EntryRow): StoredEntry => ({ ...entry, seq }) as StoredEntry;

/** Puts the long texts back. */
async function restore(db: Database, s: string, rows: readonly (EntryRow | undefined)[]): Promise<void> {
  const heavy = rows.filter((row): row is EntryRow => row?.blobs !== undefined);
  if (heavy.length === 0) return;
  const places = heavy.flatMap(({ entry, blobs = [] }) =>
    blobs.map((path) => ({ entry, path, key: blobAt(entry, path) })),
  );
  const kept = await db.run(["blobs"], "readonly", (tx) =>
    Promise.all(places.map(({ key }) => tx.objectStore("blobs").get([s, key]))),
  );
  for (const [place, { entry, path }] of places.entries()) {
    const blob = kept[place]?.blob;
    if (!blob) throw new SessionError("corrupt");
    putBack(entry, path, await blob.text());
  }
}
