/** A connection that opens when it is needed, and again when the browser cut it. */
import { type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import { after } from "../../clock.js";
import { SessionError } from "../call.js";
import { isCut, storageError } from "./failure.js";
import { createStores, type Schema, type StoreName, VERSION } from "./schema.js";

/** So long another page may take to close a database of an older version, in milliseconds. */
const BLOCKED_MS = 1500;
/** So long an opening may take of which nothing is heard. */
const SILENT_MS = 10_000;

export type Transaction = IDBPTransaction<Schema, StoreName[], "readwrite">;

/** What the owner of a connection has to hear. */
export interface DatabaseEvents {
  /** Another page wants to change the schema or to delete all: called before the connection is closed. */
  leaving?(): Promise<unknown>;
}

export interface Database {
  /** Opens the connection, if there is none. */
  connect(): Promise<void>;
  /** Does one transaction: all of it or nothing. Once more over another connection, where it was cut. */
  run<T>(
    stores: StoreName[],
    mode: IDBTransactionMode,
    work: (tx: Transaction) => Promise<T>,
    durability?: "relaxed" | "strict",
  ): Promise<T>;
  close(): void;
}

export function database(
  name: string,
  { leaving = async () => {} }: DatabaseEvents = {},
  version = VERSION,
): Database {
  let opened: Promise<IDBPDatabase<Schema>> | undefined;
  let current: IDBPDatabase<Schema> | undefined;
  let closed = false;

  /** Another connection may be open by now: that one stays. */
  const drop = (db: IDBPDatabase<Schema> | undefined) => {
    db?.close();
    if (db === current) opened = current = undefined;
  };

  /** What fails without a reason that we know will fail again: nothing can be kept here. */
  async function open(): Promise<IDBPDatabase<Schema>> {
    if (!globalThis.indexedDB) throw new SessionError("unavailable");
    try {
      return await attemptToOpen();
    } catch (cause) {
      const error = await storageError(cause);
      throw error.code === "failed" ? new SessionError("unavailable", undefined, { cause }) : error;
    }
  }

  function attemptToOpen(): Promise<IDBPDatabase<Schema>> {
    return new Promise((resolve, reject) => {
      let late = false;
      let mine: IDBPDatabase<Schema> | undefined;
      const giveUp = () => {
        late = true;
        reject(new SessionError("blocked"));
      };
      // Without a word, too: behind a deletion that waits for other pages, nothing is told.
      let stopWaiting = after(SILENT_MS, giveUp);
      openDB<Schema>(name, version, {
        upgrade: (db, from) => {
          if (from < 1) createStores(db);
        },
        blocked: () => {
          stopWaiting();
          stopWaiting = after(BLOCKED_MS, giveUp);
        },
        blocking: () => {
          const close = () => drop(mine);
          leaving().then(close, close);
        },
        terminated: () => drop(mine),
      })
        .then((db) => {
          mine = db;
          // Whoever asked has gone; a connection that is left open would block others.
          if (late || closed) db.close();
          else current = db;
          resolve(db);
        }, reject)
        .finally(() => stopWaiting());
    });
  }

  function connection(): Promise<IDBPDatabase<Schema>> {
    if (closed) return Promise.reject(new SessionError("closed"));
    if (!opened) {
      const attempt = open();
      opened = attempt;
      attempt.catch(() => {
        if (opened === attempt) opened = undefined;
      });
    }
    return opened;
  }

  return {
    async connect() {
      await connection();
    },
    async run(stores, mode, work, durability = "relaxed") {
      const attempt = async (): Promise<Awaited<ReturnType<typeof work>>> => {
        const db = await connection();
        try {
          return await transact(db, stores, mode, work, durability);
        } catch (error) {
          if (isCut(error)) drop(db);
          throw error;
        }
      };
      try {
        return await attempt().catch((error) => {
          if (!isCut(error)) throw error;
          return attempt();
        });
      } catch (error) {
        throw await storageError(error);
      }
    },
    close() {
      closed = true;
      opened?.then(
        (db) => db.close(),
        () => {},
      );
    },
  };
}

/** Nothing but the database may be awaited in `work`: the transaction ends when it has nothing to do. */
async function transact<T>(
  db: IDBPDatabase<Schema>,
  stores: StoreName[],
  mode: IDBTransactionMode,
  work: (tx: Transaction) => Promise<T>,
  durability: "relaxed" | "strict",
): Promise<T> {
  const tx = db.transaction(stores, mode as "readwrite", { durability });
  tx.done.catch(() => {}); // It rejects before the reason is known.
  const done = new Promise<{ error: unknown } | undefined>((resolve) => {
    tx.addEventListener("complete", () => resolve(undefined));
    tx.addEventListener("abort", () => resolve({ error: tx.error ?? new DOMException("", "AbortError") }));
  });
  let result: T;
  try {
    result = await work(tx);
  } catch (error) {
    try {
      tx.abort();
      await done;
    } catch {
      // It was broken off before, and that is why `work` could not go on.
      const failed = await done;
      if (failed && !(error instanceof SessionError)) throw failed.error;
    }
    throw error;
  }
  const failed = await done;
  if (failed) throw failed.error;
  return result;
}
