import { SessionError, uuid } from "../call.js";
import { type Admitted, admit } from "../checks.js";
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
import type { SessionHeader } from "../types.js";
import {
  type Channel,
  channel,
  type ListMessage,
  listChannel,
  type Message,
  sessionChannel,
  sessionLock,
} from "./channel.js";
import { type StoreClock, systemClock } from "./clock.js";
import { commit } from "./commit.js";
import { type Database, database } from "./database.js";
import { watchPage } from "./lifecycle.js";
import { leaseLock, type WriterLock, webLock } from "./lock.js";
import { type Packer, packer } from "./packs.js";
import * as reads from "./reads.js";
import { beginEpoch, forget, leaseIn } from "./writer.js";
import type { SessionRow } from "./schema.js";

/** So long the page that writes may take to let go, in milliseconds. */
const TAKE_OVER_MS = 5000;

/** Which session, and where. */
export interface IndexedDbStoreOptions {
  /** Of the session; by default a new one. */
  id?: string;
  /** The name of the database. Default `steersman`. */
  database?: string;
  /** Where times are from. */
  clock?: StoreClock;
  /** The Web Locks of the page; `null`: do without them, by a lease in the database. */
  locks?: LockManager | null;
  /** @internal Of the schema, for tests. */
  version?: number;
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
  readonly #name: string;
  readonly #locks: LockManager | null | undefined;
  readonly #packer: Packer;
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  #role: StoreRole = "mirror";
  #opening: Promise<void> | undefined;
  #lock: WriterLock | undefined;
  #channel: Channel<Message> | undefined;
  #list: Channel<ListMessage> | undefined;
  #stopWatching = () => {};
  /** Commits are done one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #epoch = 0;
  #commits = 0;
  /** The last number that is known here. */
  #seen = 0;
  /** Whether the session has been seen in the database. */
  #known = false;
  #gone = false;
  /** The page was put aside, and the lock let go. */
  #away = false;
  #closed: Promise<void> | undefined;

  constructor(options: IndexedDbStoreOptions = {}) {
    const { id = uuid(), database: name = "steersman", clock = systemClock, locks, version } = options;
    this.id = id;
    this.#name = name;
    this.#clock = clock;
    this.#locks = locks;
    this.#db = database(name, { leaving: () => this.#leaveForGood() }, version);
    this.#packer = packer(this.#db, id, clock);
  }

  get role(): StoreRole {
    return this.#role;
  }

  /** @throws SessionError `unavailable`, `blocked`, `version`, `quota`, `gone`, `failed` */
  open(): Promise<void> {
    if (this.#closed) return Promise.reject(new SessionError("closed"));
    return this.#ready();
  }

  async header(): Promise<SessionHeader | undefined> {
    return (await this.#row())?.header;
  }

  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @throws SessionError `gone`, and what `open` throws */
  async takeOver(): Promise<void> {
    await this.open();
    if (this.#role === "writer") return;
    await new Promise<void>((resolve) => {
      const stop = this.#clock.after(TAKE_OVER_MS, done);
      const unsubscribe = this.subscribe((event) => {
        if (event.type === "gone" || (event.type === "role" && event.role === "writer")) done();
      });
      function done(): void {
        stop();
        unsubscribe();
        resolve();
      }
      this.#channel?.post({ kind: "take" });
    });
    // An event may have changed it.
    if ((this.#role as StoreRole) === "writer") return;
    if (this.#gone) throw new SessionError("gone");
    await this.#lock?.steal();
    await this.#inTurn(() => this.#becomeWriter());
  }

  async commit(writes: readonly StoreWrite[], options: CommitOptions = {}): Promise<Committed> {
    if (this.#closed) throw new SessionError("closed");
    const admitted = admit(writes);
    return this.#inTurn(() => this.#commit(admitted, options));
  }

  /** After all that was begun: a new epoch in between would fail a commit of our own. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(act);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #commit(admitted: Admitted, { durability }: CommitOptions): Promise<Committed> {
    await this.#ready();
    if (this.#gone) throw new SessionError("gone");
    if (this.#role !== "writer") throw new SessionError("fenced");
    const fence = { epoch: this.#epoch, commits: this.#commits };
    try {
      const done = await commit(this.#db, this.id, fence, admitted, this.#clock.now(), durability);
      this.#commits++;
      const toSeq = done.firstSeq + done.seqs.length - 1;
      this.#seen = Math.max(this.#seen, toSeq);
      this.#channel?.post({ kind: "commit", epoch: fence.epoch, fromSeq: done.firstSeq, toSeq });
      this.#list?.post({ id: this.id });
      this.#packer.note(toSeq);
      return done;
    } catch (error) {
      if (error instanceof SessionError) {
        if (error.code === "fenced" && fence.epoch === this.#epoch) this.#becomeMirror();
        if (error.code === "gone") this.#vanish();
      }
      throw error;
    }
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
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    await this.#queue;
    await this.#opening?.catch(() => {});
    await this.#packer.close();
    if (this.#role === "writer" && !this.#gone) await forget(this.#db, this.id, this.#epoch).catch(() => {});
    await this.#letGo();
    this.#channel?.close();
    this.#list?.close();
    this.#db.close();
  }

  async #row(): Promise<SessionRow | undefined> {
    await this.open();
    return reads.readRow(this.#db, this.id);
  }

  /** Opens once; after a failure the next call tries again. */
  #ready(): Promise<void> {
    if (!this.#opening) {
      const attempt = this.#open();
      this.#opening = attempt;
      attempt.catch(() => {
        if (this.#opening === attempt) this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  async #open(): Promise<void> {
    await this.#db.connect();
    this.#channel ??= channel<Message>(sessionChannel(this.#name, this.id), (message) => this.#hear(message));
    this.#list ??= channel<ListMessage>(listChannel(this.#name), () => {});
    this.#lock ??= this.#makeLock();
    if (await this.#lock.acquire()) await this.#becomeWriter(false);
    else {
      await this.#look(false);
      this.#lock.wait();
    }
    this.#stopWatching();
    this.#stopWatching = watchPage({
      leave: () => this.#leave(),
      back: () => void this.#back(),
      seen: () => void this.#look().catch(() => {}),
    });
  }

  #makeLock(): WriterLock {
    const events = {
      granted: () => void this.#inTurn(() => this.#becomeWriter()).catch((error) => this.#tellError(error)),
      lost: () => this.#becomeMirror(),
    };
    const locks = this.#locks === undefined ? globalThis.navigator?.locks : this.#locks;
    if (locks) return webLock(locks, sessionLock(this.#name, this.id), events);
    return leaseLock(leaseIn(this.#db, this.id), uuid(), this.#clock, events);
  }

  async #becomeWriter(tell = true): Promise<void> {
    let row: SessionRow;
    try {
      row = await beginEpoch(this.#db, this.id, this.#clock.now(), this.#known);
    } catch (error) {
      await this.#lock?.release();
      if (error instanceof SessionError && error.code === "gone") this.#vanish();
      throw error;
    }
    const before = this.#role;
    this.#known = true;
    this.#epoch = row.epoch;
    this.#commits = 0;
    this.#role = "writer";
    this.#packer.note(row.nextSeq - 1, row.packed);
    this.#notice(row.nextSeq - 1, tell);
    if (tell && before !== "writer") this.#emit({ type: "role", role: "writer" });
  }

  /** The lock is another page's now, or may be: waits for it again. */
  #becomeMirror(): void {
    if (this.#role === "mirror" || this.#gone) return;
    this.#role = "mirror";
    this.#emit({ type: "role", role: "mirror" });
    void this.#lock?.release().then(() => {
      if (!this.#closed && !this.#gone) this.#lock?.wait();
    });
  }

  async #letGo(): Promise<void> {
    await this.#lock?.release();
    this.#channel?.post({ kind: "free" });
  }

  /** Looks at what others have written. */
  async #look(tell = true): Promise<void> {
    const row = await reads.readRow(this.#db, this.id);
    if (row) {
      this.#known = true;
      this.#notice(row.nextSeq - 1, tell);
    } else if (this.#known) this.#vanish();
  }

  /** Numbers up to `last` are there. */
  #notice(last: number, tell = true): void {
    if (last <= this.#seen) return;
    const firstSeq = this.#seen + 1;
    this.#seen = last;
    if (tell) this.#emit({ type: "changed", firstSeq, lastSeq: last });
  }

  #hear(message: Message): void {
    if (this.#gone || this.#closed) return;
    if (message.kind === "commit") {
      this.#known = true;
      this.#notice(message.toSeq);
    } else if (message.kind === "gone") this.#vanish();
    else if (message.kind === "take") void this.#handOver();
    else this.#lock?.freed?.();
  }

  /** Lets another page write: after what was begun here, and what the application wants to finish. */
  async #handOver(): Promise<void> {
    if (this.#role !== "writer") return;
    const wanted: Promise<unknown>[] = [];
    this.#emit({ type: "asked", until: (settled) => void wanted.push(settled) });
    await Promise.allSettled(wanted);
    await this.#queue;
    if (this.#role !== "writer") return;
    this.#role = "mirror";
    this.#emit({ type: "role", role: "mirror" });
    await this.#letGo();
    this.#lock?.wait();
  }

  /** Tries to be the writer; where another page is, waits for it. */
  async #again(): Promise<void> {
    if (this.#gone || this.#closed) return;
    try {
      if (await this.#lock?.acquire()) await this.#inTurn(() => this.#becomeWriter());
      else {
        await this.#look();
        this.#becomeMirror();
        this.#lock?.wait();
      }
    } catch (error) {
      this.#tellError(error);
    }
  }

  /** What is written from now on counts until another page writes. */
  #leave(): void {
    this.#away = true;
    void this.#lock?.release();
  }

  async #back(): Promise<void> {
    if (!this.#away) return;
    this.#away = false;
    await this.#again();
  }

  /** The database is to be changed or deleted by another page: what is under way is finished before. */
  async #leaveForGood(): Promise<void> {
    await this.#queue;
    this.#opening = undefined;
    this.#stopWatching();
    await this.#letGo();
    this.#role = "mirror";
    this.#emit({ type: "error", error: new SessionError("version") });
  }

  #vanish(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#role = "mirror";
    void this.#lock?.release();
    this.#emit({ type: "gone" });
  }

  #tellError(error: unknown): void {
    if (error instanceof SessionError && !this.#gone) this.#emit({ type: "error", error });
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
