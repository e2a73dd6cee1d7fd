/** The requests of a transaction, with the types of what is stored, and to be awaited. */
import type { Schema, StoreName } from "./schema.js";

interface Reading<TRow, TKey> {
  get(key: TKey): IDBRequest<TRow | undefined>;
  getKey(key: TKey | IDBKeyRange): IDBRequest<TKey | undefined>;
  getAll(keys?: IDBKeyRange, count?: number): IDBRequest<TRow[]>;
  openCursor(keys: IDBKeyRange, direction: "prev"): IDBRequest<Cursor<TRow> | null>;
  openKeyCursor(keys: IDBKeyRange): IDBRequest<KeyCursor<TKey> | null>;
}

interface ObjectStore<TRow, TKey, TIndex> extends Reading<TRow, TKey> {
  index(name: TIndex): Reading<TRow, TKey>;
  add(row: TRow): IDBRequest<TKey>;
  put(row: TRow): IDBRequest<TKey>;
  delete(keys: TKey | IDBKeyRange): IDBRequest<undefined>;
}

interface Cursor<TRow> extends Pick<IDBCursor, "continue"> {
  readonly value: TRow;
}

interface KeyCursor<TKey> extends Pick<IDBCursor, "continue"> {
  readonly key: TKey;
}

/** A transaction; what is asked of it in a stretch is done in that order. */
export interface Transaction extends Pick<IDBTransaction, "abort" | "error" | "addEventListener"> {
  objectStore<N extends StoreName>(
    name: N,
  ): ObjectStore<Schema[N]["value"], Schema[N]["key"], Schema[N]["index"]>;
}

/**
 * What a request gives. One that nobody awaits and that fails breaks its transaction off all the same. With a cursor, once
 * more after each step.
 */
export const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
