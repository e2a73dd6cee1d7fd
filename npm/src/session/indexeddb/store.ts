import { checkNames } from "../../names.js";
import { SessionError, uuid } from "../call.js";
import { admit } from "../checks.js";
import { given } from "../given.js";
import { leave } from "../owners.js";
import type {
  BranchQuery,
  CommitOptions,
  Committed,
  EntryQuery,
  ListPage,
  SessionStore,
  StoredEntry,
  StoreEvent,
  StoreRole,
  StoreStats,
  StoreWrite,
  UsageRow,
} from "../store.js";
import type { Snapshot } from "../restore.js";
import type { SessionHeader } from "../types.js";
import { type StoreClock, systemClock } from "./clock.js";
import { commit } from "./commit.js";
import { type Database, database } from "./database.js";
import { Owner } from "./owner.js";
import * as reads from "./reads.js";
import type { SessionRow } from "./schema.js";

/** Which session, and where. */
export interface IndexedDbStoreOptions {
  /** Of the session; by default a new one. */
  id?: string | undefined;
  /** The name of the database. Default `steersman`. */
  database?: string | undefined;
  /** Where times are from. */
  clock?: StoreClock | undefined;
  /** The Web Locks of the page; `null`: do without them, by a lease in the database. */
  locks?: LockManager | null | undefined;
  /** @internal Of the schema, for tests. */
  version?: number | undefined;
}

/**
 * A session in IndexedDB. One page writes, by a Web Lock; in others the store is a mirror that tells what changed, and
 * takes over when the writer goes. Making one touches nothing: `open()` does, and whatever needs it.
 */
export class IndexedDbStore implements SessionStore {
  readonly id: string;
  readonly persisted = true;
  readonly #clock: StoreClock;
  readonly #db: Database;
  readonly #owner: Owner;
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  #closed: Promise<void> | undefined;

  constructor(options: IndexedDbStoreOptions = {}) {
    const {
      id = uuid(),
      database: name = "steersman",
      clock = systemClock,
      locks,
      version,
    } = given(options, "options");
    checkNames("option of a store", options, { id, database: 1, clock, locks, version });
    this.id = given(id, "id", "string");
    this.#clock = clock;
    this.#db = database(name, { leaving: () => this.#owner.leaveForGood() }, version);
    this.#owner = new Owner(this.#db, { id, name, clock, locks }, (event) => this.#emit(event));
  }

  get role(): StoreRole {
    return this.#owner.role;
  }

  /** @throws SessionError `unavailable`, `blocked`, `version`, `quota`, `gone`, `failed` */
  open(): Promise<void> {
    if (this.#closed) return Promise.reject(new SessionError("closed"));
    return this.#owner.ready();
  }

  async header(): Promise<SessionHeader | undefined> {
    return (await this.#row())?.header;
  }

  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(given(listener, "listener", "function"));
    return () => void this.#listeners.delete(listener);
  }

  /** @throws SessionError `gone`, and what `open` throws */
  async takeOver(): Promise<void> {
    await this.open();
    await this.#owner.takeOver();
  }

  post(message: unknown): void {
    this.#owner.post(message);
  }

  async commit(writes: readonly StoreWrite[], options: CommitOptions = {}): Promise<Committed> {
    const { durability } = given(options, "options");
    if (this.#closed) throw new SessionError("closed");
    const admitted = admit(writes);
    return this.#owner.write((fence) =>
      commit(this.#db, this.id, fence, admitted, this.#clock.now(), durability),
    );
  }

  /** @internal Takes away what an import that was broken off has left. Whether there is no session, and nobody else begins one. */
  clear(): Promise<boolean> {
    return this.#owner.clear();
  }

  async entries(ids: readonly string[]): Promise<(StoredEntry | undefined)[]> {
    await this.open();
    return reads.readEntries(this.#db, this.id, ids);
  }

  async value(namespace: string, key: string): Promise<unknown> {
    await this.open();
    return reads.readValue(this.#db, this.id, namespace, key);
  }

  async scanValues(namespace: string, prefix = ""): Promise<[string, unknown][]> {
    await this.open();
    return reads.scanValues(this.#db, this.id, namespace, prefix);
  }

  async namespaces(): Promise<string[]> {
    await this.open();
    return reads.namespaces(this.#db, this.id);
  }

  async readList(namespace: string, key: string, page?: ListPage): Promise<unknown[]> {
    await this.open();
    return reads.readList(this.#db, this.id, namespace, key, page);
  }

  async scanBranch(query: BranchQuery): Promise<StoredEntry[]> {
    await this.open();
    return reads.scanBranch(this.#db, this.id, query);
  }

  async scanEntries(query: EntryQuery & { order?: "asc" | "desc" } = {}): Promise<StoredEntry[]> {
    await this.open();
    return reads.scanEntries(this.#db, this.id, query);
  }

  /** @internal All at once, for a session. `undefined`: this store does not read entries as they are kept. */
  async snapshot(branch: string, plain: boolean): Promise<Snapshot | undefined> {
    if (this.scanEntries !== IndexedDbStore.prototype.scanEntries) return undefined;
    await this.open();
    return reads.snapshot(this.#db, this.id, branch, plain);
  }

  async scanUsage(): Promise<UsageRow[]> {
    await this.open();
    return reads.scanUsage(this.#db, this.id);
  }

  async stats(): Promise<StoreStats> {
    const row = await this.#row();
    if (!row) throw new SessionError("gone");
    return { messageCount: row.messageCount, usage: row.usage };
  }

  /** Finishes what was begun. */
  close(): Promise<void> {
    this.#closed ??= leave(this.id, this.#close());
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#owner.close();
    this.#db.close();
  }

  async #row(): Promise<SessionRow | undefined> {
    await this.open();
    return reads.readRow(this.#db, this.id);
  }

  #emit(event: StoreEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        reportError(error);
      }
    }
  }
}
