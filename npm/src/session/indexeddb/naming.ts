/** A name for a session that is not open. */
import { SessionError, uuid } from "../call.js";
import { setValue, type StoreWrite, TIPS } from "../store.js";
import { putWrite } from "./commit.js";
import type { Database } from "./database.js";
import { within } from "./schema.js";
import { addGist, gistOf } from "./summary.js";

/** The branch that a session goes on with. */
export const MAIN = "main";

/**
 * Adds an entry with the name, whoever writes: it follows the tip, and is the tip then. In one transaction, as everything
 * is, so that it cannot come into the middle of a commit.
 *
 * @throws SessionError `unknown_session`
 */
export function appendName(
  db: Database,
  s: string,
  name: string,
): Promise<{ epoch: number; fromSeq: number; toSeq: number }> {
  return db.run(["sessions", "entries", "values"], "readwrite", async (tx) => {
    const sessions = tx.objectStore("sessions");
    const row = await sessions.get(s);
    if (!row?.header) throw new SessionError("unknown_session");
    const tip = (await tx.objectStore("values").get([s, TIPS, MAIN]))?.value;
    const last = await tx.objectStore("entries").index("bySeq").openCursor(within(s), "prev");
    const parentId = typeof tip === "string" ? tip : (last?.value.id ?? null);
    const now = Date.now();
    const entry = {
      type: "session_info",
      id: uuid(),
      parentId,
      timestamp: new Date(now).toISOString(),
      name,
    };
    const writes: StoreWrite[] = [{ kind: "entry", entry }, setValue(TIPS, MAIN, entry.id)];
    for (const [place, write] of writes.entries()) await putWrite(tx, s, row.nextSeq + place, write);
    const fromSeq = row.nextSeq;
    row.nextSeq += writes.length;
    addGist(row, gistOf(writes), now);
    await sessions.put(row);
    return { epoch: row.epoch, fromSeq, toSeq: row.nextSeq - 1 };
  });
}
