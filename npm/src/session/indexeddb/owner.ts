/** Whether this page writes a session, and what it hears of the page that does: SESSIONS 6. */
import { SessionError, uuid } from "../call.js";
import { leavers } from "../owners.js";
import type { Committed, StoreEvent, StoreRole } from "../store.js";
import {
  type Channel,
  channel,
  type ListMessage,
  listChannel,
  type Message,
  sessionChannel,
  sessionLock,
} from "./channel.js";
import type { StoreClock } from "./clock.js";
import type { Fence } from "./commit.js";
import type { Database } from "./database.js";
import { watchPage } from "./lifecycle.js";
import { leaseLock, type WriterLock, webLock } from "./lock.js";
import { type Packer, packer } from "./packs.js";
import { readRow } from "./reads.js";
import type { SessionRow } from "./schema.js";
import { beginEpoch, clear, forget, leaseIn } from "./writer.js";

/** So long the page that writes may take to let go, in milliseconds. */
const TAKE_OVER_MS = 5000;

/** The session and its surroundings. */
export interface Place {
  id: string;
  /** The name of the database. */
  name: string;
  clock: StoreClock;
  /** `undefined`: those of the page; `null`: none. */
  locks: LockManager | null | undefined;
}

/** The part of a store that knows who writes. */
export class Owner {
  role: StoreRole = "mirror";
  readonly #db: Database;
  readonly #place: Place;
  readonly #tell: (event: StoreEvent) => void;
  readonly #packer: Packer;
  #opening: Promise<void> | undefined;
  #lock: WriterLock | undefined;
  #channel: Channel<Message> | undefined;
  #list: Channel<ListMessage> | undefined;
  #stopWatching = () => {};
  /** What must not come between each other: commits and new epochs. */
  #queue: Promise<unknown> = Promise.resolve();
  #epoch = 0;
  /** Commits that were begun: each has its number, also where it fails. */
  #commits = 0;
  /** The last number that is known here. */
  #seen = 0;
  /** Whether something was written. The row of an empty session goes with its writer, and that takes nothing away. */
  #known = false;
  #gone = false;
  /** The page was put aside, and the lock let go. */
  #away = false;
  #closing = false;
  #taking: Promise<void> | undefined;
  /** Called when a wait for the lock has come to an end. */
  #settled = () => {};

  /** @param tell told every event of the store */
  constructor(db: Database, place: Place, tell: (event: StoreEvent) => void) {
    this.#db = db;
    this.#place = place;
    this.#tell = tell;
    this.#packer = packer(db, place.id, place.clock);
  }

  /** Opens once; after a failure the next call tries again. */
  ready(): Promise<void> {
    if (!this.#opening) {
      const attempt = this.#open();
      this.#opening = attempt;
      attempt.catch(() => {
        if (this.#opening === attempt) this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  /** Does something after all that was begun: a new epoch in between would fail a commit of our own. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(act);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** Writes, when it is its turn and this page may. @throws SessionError `gone`, `fenced`, and what `write` throws */
  write(write: (fence: Fence) => Promise<Committed>): Promise<Committed> {
    return this.inTurn(async () => {
      await this.ready();
      if (this.#gone) throw new SessionError("gone");
      if (this.role !== "writer") throw new SessionError("fenced");
      const fence = { epoch: this.#epoch, commit: ++this.#commits };
      try {
        const done = await write(fence);
        this.#wrote(done, fence.epoch);
        return done;
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code === "fenced" && fence.epoch === this.#epoch) this.#becomeMirror();
        if (code === "gone") this.#vanish();
        throw error;
      }
    });
  }

  /** Begins a session anew of which there is no header. Whether it may be written here from its beginning. */
  clear(): Promise<boolean> {
    return this.inTurn(async () => {
      await this.ready();
      return this.role === "writer" && clear(this.#db, this.#place.id, this.#epoch);
    });
  }

  #wrote({ firstSeq, seqs }: Committed, epoch: number): void {
    const toSeq = firstSeq + seqs.length - 1;
    this.#known = true;
    this.#seen = Math.max(this.#seen, toSeq);
    this.#channel?.post({ kind: "commit", epoch, fromSeq: firstSeq, toSeq });
    this.#list?.post({ id: this.#place.id });
    this.#packer.note(toSeq);
  }

  post(message: unknown): void {
    this.#channel?.post({ kind: "post", message });
  }

  takeOver(): Promise<void> {
    this.#taking ??= this.#takeOver().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #takeOver(): Promise<void> {
    await this.ready();
    if (this.role === "writer") return;
    const settled = new Promise<void>((resolve) => {
      this.#settled = resolve;
    });
    this.#channel?.post({ kind: "take" });
    await this.#atMost(settled);
    this.#settled = () => {};
    if ((this.role as StoreRole) === "writer") return;
    if (this.#gone) throw new SessionError("gone");
    await this.#lock?.steal();
    await this.inTurn(() => this.#becomeWriter());
  }

  /** Finishes what was begun, and lets go. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopWatching();
    await this.#queue;
    await this.#opening?.catch(() => {});
    await this.#packer.close();
    if (this.role === "writer" && !this.#gone)
      await forget(this.#db, this.#place.id, this.#epoch).catch(() => {});
    await this.#letGo();
    this.#channel?.close();
    this.#list?.close();
  }

  /** The database is to be changed or deleted by another page: what is under way is finished before. */
  async leaveForGood(): Promise<void> {
    await this.#queue;
    this.#opening = undefined;
    this.#stopWatching();
    await this.#letGo();
    this.role = "mirror";
    this.#tell({ type: "error", error: new SessionError("version") });
  }

  async #open(): Promise<void> {
    const { id, name } = this.#place;
    await this.#db.connect();
    this.#channel ??= channel<Message>(sessionChannel(name, id), (message) => this.#hear(message));
    this.#list ??= channel<ListMessage>(listChannel(name), () => {});
    this.#lock ??= this.#makeLock();
    if (await this.#acquire(this.#lock)) await this.#becomeWriter(false);
    else this.#lock.wait();
    this.#stopWatching();
    this.#stopWatching = watchPage({
      leave: () => this.#leave(),
      back: () => void this.#back(),
      seen: () => void this.#look().catch(() => {}),
    });
  }

  /** Takes the lock, where it is free or stores of this page that are being closed have it. */
  async #acquire(lock: WriterLock): Promise<boolean> {
    const { id } = this.#place;
    let left = leavers(id);
    if (await lock.acquire()) return true;
    await this.#look(false);
    if (!this.#closing) left = leavers(id) ?? left;
    if (!left) return false;
    await this.#atMost(left);
    return lock.acquire();
  }

  /** Waits for something, as long as a page may take to let go. */
  #atMost(done: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#place.clock.after(TAKE_OVER_MS, resolve);
      void done.then(stop).then(resolve);
    });
  }

  #makeLock(): WriterLock {
    const { id, name, clock, locks = globalThis.navigator?.locks } = this.#place;
    const events = {
      granted: () => void this.inTurn(() => this.#becomeWriter()).catch((error) => this.#tellError(error)),
      lost: () => this.#becomeMirror(),
    };
    return locks
      ? webLock(locks, sessionLock(name, id), events)
      : leaseLock(leaseIn(this.#db, id), uuid(), clock, events);
  }

  async #becomeWriter(tell = true): Promise<void> {
    let row: SessionRow;
    try {
      row = await beginEpoch(this.#db, this.#place.id, this.#place.clock.now(), this.#known);
    } catch (error) {
      await this.#lock?.release();
      if (error instanceof SessionError && error.code === "gone") this.#vanish();
      throw error;
    }
    const before = this.role;
    this.#known = row.nextSeq > 1;
    this.#epoch = row.epoch;
    this.role = "writer";
    this.#packer.note(row.nextSeq - 1, row.packed);
    this.#notice(row.nextSeq - 1, tell);
    if (tell && before !== "writer") this.#tell({ type: "role", role: "writer" });
    this.#settled();
  }

  /** The lock is another page's now, or may be: waits for it again. */
  #becomeMirror(): void {
    if (this.role === "mirror" || this.#gone) return;
    this.role = "mirror";
    this.#tell({ type: "role", role: "mirror" });
    void this.#lock?.release().then(() => {
      if (!this.#closing && !this.#gone) this.#lock?.wait();
    });
  }

  async #letGo(): Promise<void> {
    await this.#lock?.release();
    this.#channel?.post({ kind: "free" });
  }

  /** Looks at what others have written. */
  async #look(tell = true): Promise<void> {
    const row = await readRow(this.#db, this.#place.id);
    if (row) {
      this.#known = row.nextSeq > 1;
      this.#notice(row.nextSeq - 1, tell);
    } else if (this.#known) this.#vanish();
  }

  /** Numbers up to `last` are there. */
  #notice(last: number, tell = true): void {
    if (last <= this.#seen) return;
    const firstSeq = this.#seen + 1;
    this.#seen = last;
    if (tell) this.#tell({ type: "changed", firstSeq, lastSeq: last });
  }

  #hear(message: Message): void {
    if (this.#gone || this.#closing) return;
    if (message.kind === "commit") {
      this.#known = true;
      this.#notice(message.toSeq);
    } else if (message.kind === "gone") this.#vanish();
    else if (message.kind === "take") void this.#handOver();
    else if (message.kind === "post") this.#tell({ type: "heard", message: message.message });
    else this.#lock?.freed?.();
  }

  /** Lets another page write: after what was begun here, and what the application wants to finish. */
  async #handOver(): Promise<void> {
    if (this.role !== "writer") return;
    const wanted: Promise<unknown>[] = [];
    this.#tell({ type: "asked", until: (settled) => void wanted.push(settled) });
    await Promise.allSettled(wanted);
    await this.#queue;
    if (this.role !== "writer") return;
    this.role = "mirror";
    this.#tell({ type: "role", role: "mirror" });
    await this.#letGo();
    if (!this.#closing) this.#lock?.wait();
  }

  /** What is written from now on counts until another page writes. */
  #leave(): void {
    this.#away = true;
    void this.#lock?.release();
  }

  /** The page is there again: others may have written, or have become the writer. */
  async #back(): Promise<void> {
    if (!this.#away || this.#gone || this.#closing) return;
    this.#away = false;
    try {
      if (await this.#lock?.acquire()) await this.inTurn(() => this.#becomeWriter());
      else {
        await this.#look();
        this.#becomeMirror();
        this.#lock?.wait();
      }
    } catch (error) {
      this.#tellError(error);
    }
  }

  #vanish(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.role = "mirror";
    void this.#lock?.release();
    this.#tell({ type: "gone" });
    this.#settled();
  }

  #tellError(error: unknown): void {
    if (error instanceof SessionError && !this.#gone) this.#tell({ type: "error", error });
  }
}
