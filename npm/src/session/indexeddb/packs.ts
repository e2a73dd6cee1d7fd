/**
 * A database takes much longer over ten thousand records than over ten large ones. Entries never change, so that those of
 * a thousand sequence numbers are kept once more as one record, for reading. A pack that is missing costs time, no more.
 */
import type { StoreClock } from "./clock.js";
import type { Database, Transaction } from "./database.js";
import { packedRows, rowsOf } from "./packed.js";
import type { EntryRow, PackedRows } from "./schema.js";

/** So many sequence numbers are in a pack: 1 to 1000, 1001 to 2000 ... */
export const PACK = 1000;

/** Packs are beside the blobs, under names that no digest has. */
const keyOf = (first: number): string => `pack:${String(first).padStart(12, "0")}`;

/** A pack, by the first of its sequence numbers, as it is kept; or its entries. */
export async function readPacked(
  tx: Transaction,
  s: string,
  first: number,
): Promise<PackedRows | EntryRow[]> {
  const pack = await tx.objectStore("blobs").get([s, keyOf(first)]);
  return pack?.packed ?? pack?.rows ?? readRange(tx, s, first, first + PACK - 1);
}

/** The entries of a pack. */
export async function readPack(tx: Transaction, s: string, first: number): Promise<EntryRow[]> {
  const pack = await readPacked(tx, s, first);
  try {
    return Array.isArray(pack) ? pack : rowsOf(s, pack);
  } catch {
    // Damaged. It is only a copy.
    return readRange(tx, s, first, first + PACK - 1);
  }
}

/** The entries of a range of sequence numbers, from the first to the last. */
export function readRange(tx: Transaction, s: string, from: number, to: number): Promise<EntryRow[]> {
  return tx
    .objectStore("entries")
    .index("bySeq")
    .getAll(IDBKeyRange.bound([s, from], [s, to]));
}

/** Makes the next pack, if there is enough for one. Whether there is more. */
function makePack(db: Database, s: string): Promise<boolean> {
  return db.run(["sessions", "entries", "blobs"], "readwrite", async (tx) => {
    const sessions = tx.objectStore("sessions");
    const row = await sessions.get(s);
    if (!row || row.nextSeq - 1 - row.packed < PACK) return false;
    const rows = await readRange(tx, s, row.packed + 1, row.packed + PACK);
    const packed = packedRows(rows);
    await tx
      .objectStore("blobs")
      .put({ s, sha256: keyOf(row.packed + 1), ...(packed ? { packed } : { rows }) });
    row.packed += PACK;
    await sessions.put(row);
    return row.nextSeq - 1 - row.packed >= PACK;
  });
}

/** So long after a write, in milliseconds, so that what follows at once does not wait for it. */
const PAUSE_MS = 500;

/** Makes packs while the session is open for writing. */
export interface Packer {
  /** Entries up to `last` are there, those up to `packed` in packs. */
  note(last: number, packed?: number): void;
  /** Finishes the one that is begun. */
  close(): Promise<void>;
}

export function packer(db: Database, s: string, clock: StoreClock): Packer {
  let packedTo = 0;
  let lastSeq = 0;
  let callOff: (() => void) | undefined;
  let work: Promise<void> = Promise.resolve();
  let closed = false;

  function plan(): void {
    if (callOff || closed || lastSeq - packedTo < PACK) return;
    callOff = clock.after(PAUSE_MS, () => {
      // What fails is not missed.
      work = packAll(db, s, () => closed).then(done, done);
    });
  }

  function done(): void {
    packedTo = lastSeq - (lastSeq % PACK);
    callOff = undefined;
  }

  return {
    note(last, packed = packedTo) {
      lastSeq = last;
      packedTo = packed;
      plan();
    },
    async close() {
      closed = true;
      callOff?.();
      await work;
    },
  };
}

/** Makes all packs that there is enough for. */
export async function packAll(db: Database, s: string, stop = () => false): Promise<void> {
  while (!stop() && (await makePack(db, s))) {}
}
