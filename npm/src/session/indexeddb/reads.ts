/** What is read of a session. No lock is needed for it. */
import { SessionError } from "../call.js";
import { endsAt, inOrder, pageOf, type Selection, select } from "../checks.js";
import type { EntryPack } from "../entry-list.js";
import { given } from "../given.js";
import type { Snapshot } from "../restore.js";
import {
  type BranchQuery,
  type EntryQuery,
  type ListPage,
  NAME,
  type StoredEntry,
  TIPS,
  type UsageRow,
} from "../store.js";
import type { SessionEntry } from "../types.js";
import { blobAt, putBack } from "./blobs.js";
import type { Database, Transaction } from "./database.js";
import { packOf } from "./packed.js";
import { PACK, readPack, readPacked, readRange } from "./packs.js";
import { type EntryRow, type PackedRows, type SessionRow, type StoreName, within } from "./schema.js";

/** What the entries of a session are read from. */
const ENTRIES: StoreName[] = ["sessions", "entries", "blobs"];
/** So many reads are under way at a time. */
const AHEAD = 4;

export const readRow = (db: Database, s: string): Promise<SessionRow | undefined> =>
  db.run(["sessions"], "readonly", (tx) => tx.objectStore("sessions").get(s));

export async function readEntries(
  db: Database,
  s: string,
  ids: readonly string[],
): Promise<(StoredEntry | undefined)[]> {
  given(ids, "ids", "array");
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
  given(ns, "namespace", "string");
  const to = above(given(prefix, "prefix", "string"));
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

/** Entries by sequence number, in parts: more at a time would hold the page up. */
export async function scanEntries(
  db: Database,
  s: string,
  query: EntryQuery & { order?: "asc" | "desc" },
): Promise<StoredEntry[]> {
  const rising = given(query, "query").order === "asc";
  const { limit = Number.POSITIVE_INFINITY, cursor } = query;
  const rows = await db.run(ENTRIES, "readonly", async (tx) => {
    const { nextSeq = 1, packed = 0 } = (await tx.objectStore("sessions").get(s)) ?? {};
    const low = rising && cursor ? cursor.seq + 1 : 1;
    const high = !rising && cursor ? cursor.seq - 1 : nextSeq - 1;
    const parts = partsOf(low, high, packed, Math.min(PACK, Math.max(limit, 50)));
    if (!rising) parts.reverse();
    const found: EntryRow[] = [];
    const under: Promise<EntryRow[]>[] = [];
    const ahead = limit === Number.POSITIVE_INFINITY ? AHEAD : 1;
    let selected = 0;
    for (let at = 0; (at < parts.length || under.length > 0) && selected < limit; ) {
      for (; at < parts.length && under.length < ahead; at++) under.push(readPart(tx, s, parts[at] as Part));
      const rows = ((await under.shift()) ?? []).filter(({ seq }) => seq >= low && seq <= high);
      if (!rising) rows.reverse();
      for (const row of rows) found.push(row);
      // Entries that the query does not want do not count.
      if (limit < Number.POSITIVE_INFINITY)
        selected += select(rows.map(entryOf), { ...query, limit: limit - selected }, rising).length;
    }
    return found;
  });
  return restored(db, s, rows, query, rising);
}

/** All that a session is opened with, of one moment. */
export async function snapshot(db: Database, s: string, branch: string, plain: boolean): Promise<Snapshot> {
  const work = async (tx: Transaction) => {
    const values = tx.objectStore("values");
    const [row, tip, name] = await Promise.all([
      tx.objectStore("sessions").get(s),
      values.get([s, TIPS, branch]),
      values.get([s, NAME, ""]),
    ]);
    const { nextSeq = 1, packed = 0, header } = row ?? {};
    const read: (PackedRows | EntryRow[])[] = [];
    const under: Promise<PackedRows | EntryRow[]>[] = [];
    const parts = partsOf(1, nextSeq - 1, plain ? 0 : packed, PACK);
    for (let at = 0; at < parts.length || under.length > 0; ) {
      for (; at < parts.length && under.length < AHEAD; at++) {
        const part = parts[at] as Part;
        under.push("pack" in part ? readPacked(tx, s, part.pack) : readRange(tx, s, part.from, part.to));
      }
      const next = await under.shift();
      if (next) read.push(next);
    }
    return { header, tip: tip?.value, name: name?.value, lastSeq: nextSeq - 1, read };
  };
  const { read, ...rest } = await db.run([...ENTRIES, "values"], "readonly", work);
  await restore(
    db,
    s,
    read.flatMap((part) => (Array.isArray(part) ? part : part.apart.map(([, row]) => row))),
  );
  const entries = read.flatMap<SessionEntry | EntryPack>((part) =>
    Array.isArray(part) ? part.map(({ entry }) => entry) : [packOf(part)],
  );
  return { ...rest, entries };
}

/** A pack, by its first number, or a range of numbers. */
type Part = { pack: number } | { from: number; to: number };

/** What to read for these numbers: packs as far as there are any, then ranges of at most `size`. */
function partsOf(low: number, high: number, packed: number, size: number): Part[] {
  const parts: Part[] = [];
  let at = low;
  for (; at <= Math.min(high, packed); at += PACK - ((at - 1) % PACK))
    parts.push({ pack: at - ((at - 1) % PACK) });
  for (; at <= high; at += size) parts.push({ from: at, to: Math.min(high, at + size - 1) });
  return parts;
}

const readPart = (tx: Transaction, s: string, part: Part): Promise<EntryRow[]> =>
  "pack" in part ? readPack(tx, s, part.pack) : readRange(tx, s, part.from, part.to);

/** The way from an entry to its root, then as it is asked for. */
export async function scanBranch(db: Database, s: string, query: BranchQuery): Promise<StoredEntry[]> {
  const rising = given(query, "query").order === "oldestFirst";
  const rows = await db.run(ENTRIES, "readonly", (tx) => walk(tx, s, query, rising));
  return restored(db, s, rising ? rows.reverse() : rows, query, rising);
}

/**
 * A parent has a lower number than its children: what is before an entry is read in parts that grow, and an entry is looked
 * up only where the branch goes on before the part.
 */
async function walk(tx: Transaction, s: string, query: BranchQuery, rising: boolean): Promise<EntryRow[]> {
  const path: EntryRow[] = [];
  const { limit = Number.POSITIVE_INFINITY } = query;
  const stops = rising ? {} : query;
  const plain = query.type === undefined && query.customType === undefined && !query.cursor;
  const packed = (await tx.objectStore("sessions").get(s))?.packed ?? 0;
  let near = new Map<string, EntryRow>();
  let size = 32;
  for (let id = query.start; id !== ""; ) {
    let row = near.get(id);
    if (!row) {
      row = await tx.objectStore("entries").get([s, id]);
      if (!row) throw new SessionError("unknown_entry");
      size = Math.min(size * 2, PACK);
      const last = row.seq - 1;
      const [part] = partsOf(last <= packed ? last : Math.max(packed + 1, last - size), last, packed, PACK);
      const rows = part ? await readPart(tx, s, part) : [];
      near = new Map(rows.map((each) => [each.id, each]));
    }
    path.push(row);
    if (endsAt(entryOf(row), stops as Selection)) break;
    if (!rising && plain && path.length >= limit) break;
    id = row.parentId;
  }
  return path;
}

async function restored(
  db: Database,
  s: string,
  rows: EntryRow[],
  query: Selection,
  rising: boolean,
): Promise<StoredEntry[]> {
  const all = rows.map(entryOf);
  const chosen = select(all, query, rising);
  const wanted = chosen.length < all.length ? new Set(chosen) : undefined;
  await restore(db, s, wanted ? rows.filter(({ entry }) => wanted.has(entry as StoredEntry)) : rows);
  return chosen;
}

/** The row is a copy of what is stored, and ours. */
const entryOf = ({ entry, seq }: EntryRow): StoredEntry => Object.assign(entry, { seq });

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
