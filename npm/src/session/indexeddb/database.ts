/** A connection that opens when it is needed, and again when the browser cut it. */
import { after } from "../../clock.js";
import { SessionError } from "../call.js";
import { isCut, storageError } from "./failure.js";
import { done, type Transaction } from "./requests.js";
import { createStores, type StoreName, VERSION } from "./schema.js";

/** So long another page may take to close a database of an older version, in milliseconds. */
const BLOCKED_MS = 1500;
/** So long an opening may take of which nothing is heard. */
const SILENT_MS = 10_000;

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
  let opened: Promise<IDBDatabase> | undefined;
  let current: IDBDatabase | undefined;
  let closed = false;

  /** Another connection may be open by now: that one stays. */
  const drop = (db: IDBDatabase) => {
    db.close();
    if (db === current) opened = current = undefined;
  };

  /** What fails without a reason that we know will fail again: nothing can be kept here. */
  async function open(): Promise<IDBDatabase> {
    if (!globalThis.indexedDB) throw new SessionError("unavailable");
    try {
      return await attemptToOpen();
    } catch (cause) {
      const error = await storageError(cause);
      throw error.code === "failed" ? new SessionError("unavailable", undefined, { cause }) : error;
    }
  }

  function attemptToOpen(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      let late = false;
      const giveUp = () => {
        late = true;
        reject(new SessionError("blocked"));
      };
      // Without a word, too: behind a deletion that waits for other pages, nothing is told.
      let stopWaiting = after(SILENT_MS, giveUp);
      const request = indexedDB.open(name, version);
      request.onupgradeneeded = ({ oldVersion }) => {
        if (oldVersion < 1) createStores(request.result);
      };
      request.onblocked = () => {
        stopWaiting();
        stopWaiting = after(BLOCKED_MS, giveUp);
      };
      done(request)
        .then((db) => {
          const close = () => drop(db);
          db.onversionchange = () => void leaving().then(close, close);
          // The browser cut it.
          db.onclose = close;
          // Whoever asked has gone; a connection that is left open would block others.
          if (late || closed) db.close();
          else current = db;
          resolve(db);
        }, reject)
        .finally(() => stopWaiting());
    });
  }

  function connection(): Promise<IDBDatabase> {
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
  db: IDBDatabase,
  stores: StoreName[],
  mode: IDBTransactionMode,
  work: (tx: Transaction) => Promise<T>,
  durability: "relaxed" | "strict",
): Promise<T> {
  const tx = db.transaction(stores, mode, { durability }) as unknown as Transaction;
  const ended = new Promise<{ error: unknown } | undefined>((resolve) => {
    tx.addEventListener("complete", () => resolve(undefined));
    tx.addEventListener("abort", () => resolve({ error: tx.error ?? new DOMException("", "AbortError") }));
  });
  let result: T;
  try {
    result = await work(tx);
  } catch (error) {
    try {
      tx.abort();
      await ended;
    } catch {
      // It was broken off before, and that is why `work` could not go on.
      const failed = await ended;
      if (failed && !(error instanceof SessionError)) throw failed.error;
    }
    throw error;
  }
  const failed = await ended;
  if (failed) throw failed.error;
  return result;
}
