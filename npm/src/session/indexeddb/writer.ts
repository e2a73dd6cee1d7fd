/** What makes a page the writer, in the database. */
import { SessionError } from "../call.js";
import type { Database, Transaction } from "./database.js";
import type { LeaseRecord } from "./lock.js";
import { type SessionRow, STORES, within } from "./schema.js";
import { emptyRow } from "./summary.js";

/**
 * Begins an epoch: whatever another page has begun before fails. Makes the row of a new session.
 *
 * @param known The session was there before
 * @throws SessionError `gone`
 */
export function beginEpoch(db: Database, id: string, now: number, known: boolean): Promise<SessionRow> {
  return db.run(["sessions", "entries"], "readwrite", async (tx) => {
    const sessions = tx.objectStore("sessions");
    const found = await sessions.get(id);
    if (!found && known) throw new SessionError("gone");
    const row = found ?? emptyRow(id, now);
    // The browser took the entries away.
    if (row.entryCount > 0 && (await tx.objectStore("entries").getKey(within(id))) === undefined)
      throw new SessionError("gone");
    row.epoch++;
    row.lastCommit = 0;
    await sessions.put(row);
    return row;
  });
}

/** Removes the row of a session that nothing was written to. */
export function forget(db: Database, id: string, epoch: number): Promise<void> {
  return db.run(["sessions"], "readwrite", async (tx) => {
    const sessions = tx.objectStore("sessions");
    const row = await sessions.get(id);
    if (row?.nextSeq === 1 && row.epoch === epoch) await sessions.delete(id);
  });
}

/** Takes away what there is of a session without a header, which nobody sees. Whether it has none, and this epoch is on. */
export function clear(db: Database, id: string, epoch: number): Promise<boolean> {
  return db.run(STORES, "readwrite", async (tx) => {
    const sessions = tx.objectStore("sessions");
    const row = await sessions.get(id);
    if (row?.epoch !== epoch || row.header) return false;
    await removeRows(tx, id);
    const { created, lease } = row;
    await sessions.put({ ...emptyRow(id, created), epoch, ...(lease && { lease }) });
    return true;
  });
}

/** Removes all of a session but its row. */
export async function removeRows(tx: Transaction, id: string): Promise<void> {
  const others = STORES.filter((name) => name !== "sessions");
  await Promise.all(others.map((name) => tx.objectStore(name).delete(within(id))));
}

/** A lease that was met so often without a change is nobody's: its holder would have renewed it each time. */
const STALE = 4;

/** The lease of a session, in its row. */
export function leaseIn(db: Database, id: string): LeaseRecord {
  let seen = 0;
  let met = 0;
  return {
    take: (owner, now, expires, force) =>
      db.run(["sessions"], "readwrite", async (tx) => {
        const sessions = tx.objectStore("sessions");
        const row = (await sessions.get(id)) ?? emptyRow(id, now);
        const { lease } = row;
        if (!force && lease && lease.owner !== owner && lease.expires > now) {
          // One that nobody renews is from before the clock was put back, and would be good for as long as that was.
          met = seen === lease.expires ? met + 1 : 0;
          seen = lease.expires;
          if (met < STALE) return false;
        }
        row.lease = { owner, expires };
        await sessions.put(row);
        return true;
      }),
    end: (owner) =>
      db.run(["sessions"], "readwrite", async (tx) => {
        const sessions = tx.objectStore("sessions");
        const row = await sessions.get(id);
        if (row?.lease?.owner !== owner) return;
        delete row.lease;
        await sessions.put(row);
      }),
  };
}
