/** One commit: one transaction over exactly the stores that it touches. */
import { SessionError } from "../call.js";
import type { Admitted } from "../checks.js";
import type { Committed, StoreWrite } from "../store.js";
import type { SessionEntry } from "../types.js";
import { lighten } from "./blobs.js";
import type { Database, Transaction } from "./database.js";
import { type StoreName, within } from "./schema.js";
import { addGist, gistOf } from "./summary.js";

/** Who writes, and a number that no other commit of this writer has. */
export interface Fence {
  epoch: number;
  commit: number;
}

const storeOf: Record<StoreWrite["kind"], StoreName> = {
  header: "sessions",
  entry: "entries",
  usage: "usage",
  value: "values",
  list: "lists",
};

/**
 * Writes all or nothing; resolved when the transaction is complete.
 *
 * @throws SessionError `gone`, `fenced`, `duplicate_id`, `missing_parent`, and what a database throws
 */
export async function commit(
  db: Database,
  session: string,
  fence: Fence,
  { writes, ids, parents }: Admitted,
  timestamp: number,
  durability: "relaxed" | "strict" = "relaxed",
): Promise<Committed> {
  for (const write of writes)
    if (write.kind === "entry") write.entry.timestamp ??= new Date(timestamp).toISOString();
  const gist = gistOf(writes);
  // Before the transaction, which would end while something else is awaited.
  const light = await lighten(writes);
  const kinds = new Set(writes.map(({ kind }) => kind));
  const stores = new Set<StoreName>(["sessions", ...[...kinds].map((kind) => storeOf[kind])]);
  if (ids.length > 0) stores.add("entries").add("usage");
  if (light.size > 0) stores.add("blobs");

  const work = async (tx: Transaction): Promise<Committed> => {
    const sessions = tx.objectStore("sessions");
    const row = await sessions.get(session);
    if (!row) throw new SessionError("gone");
    if (row.epoch !== fence.epoch) throw new SessionError("fenced");
    const numbered = (firstSeq: number) => ({
      firstSeq,
      seqs: writes.map((_, place) => firstSeq + place),
      timestamp,
    });
    // It was done already, by an attempt whose end nobody saw.
    if (row.lastCommit === fence.commit) return numbered(row.lastSeq);
    const firstSeq = row.nextSeq;
    let seq = firstSeq;
    for (const write of writes) {
      putWrite(tx, session, seq++, write, light.get(write)?.paths)?.catch(ignore);
      for (const { sha256, blob } of light.get(write)?.blobs ?? [])
        tx.objectStore("blobs").put({ s: session, sha256, blob }).catch(ignore);
    }
    addGist(row, gist, timestamp);
    row.nextSeq = seq;
    row.lastSeq = firstSeq;
    row.lastCommit = fence.commit;
    sessions.put(row).catch(ignore);
    // After the writes, which need not wait for it: what throws here takes them back.
    await lookUp(tx, session, { writes, ids, parents }, row.usageCount > 0);
    return numbered(firstSeq);
  };
  return db.run([...stores], "readwrite", work, durability);
}

/** For requests that nobody awaits: one that fails breaks the transaction off, and that is awaited. */
const ignore = () => {};

/** What the writes themselves do not find out: whether parents are there, and ids that a row of usage or an entry has. */
async function lookUp(
  tx: Transaction,
  session: string,
  { writes, ids, parents }: Admitted,
  usage: boolean,
): Promise<void> {
  const holds = async (store: "entries" | "usage", id: string) =>
    (await tx.objectStore(store).getKey([session, id])) !== undefined;
  const rows = writes.flatMap((write) => (write.kind === "usage" ? [write.row.id] : []));
  const own = new Set(rows);
  const taken = rows.map((id) => holds("entries", id));
  if (usage) for (const id of ids) if (!own.has(id)) taken.push(holds("usage", id));
  const there = parents.map((id) => holds("entries", id));
  // All of them are awaited together, so that none fails unseen.
  const [some, all] = await Promise.all([Promise.all(taken), Promise.all(there)]);
  if (some.includes(true)) throw new SessionError("duplicate_id");
  if (all.includes(false)) throw new SessionError("missing_parent");
}

export function putWrite(
  tx: Transaction,
  s: string,
  seq: number,
  write: StoreWrite,
  blobs?: (string | number)[][],
): Promise<unknown> | undefined {
  if (write.kind === "entry") {
    const entry = write.entry as SessionEntry;
    const parentId = typeof entry.parentId === "string" ? entry.parentId : "";
    return tx
      .objectStore("entries")
      .add({ s, id: entry.id, seq, parentId, entry, ...(blobs ? { blobs } : {}) });
  }
  if (write.kind === "usage")
    return tx.objectStore("usage").add({ s, id: write.row.id, seq, row: write.row });
  if (write.kind === "header") return undefined;
  const { namespace: ns, key } = write;
  if (write.kind === "value") {
    const values = tx.objectStore("values");
    return write.op === "set"
      ? values.put({ s, ns, key, value: write.value, seq })
      : values.delete([s, ns, key]);
  }
  const lists = tx.objectStore("lists");
  return write.op === "append"
    ? lists.put({ s, ns, key, seq, value: write.value })
    : lists.delete(within(s, ns, key));
}
