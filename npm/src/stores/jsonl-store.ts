/** A session as a text of lines, in whatever keeps texts. */
import { checkNames } from "../names.js";
import { SessionError, uuid } from "../session/call.js";
import { admit } from "../session/checks.js";
import { given } from "../session/given.js";
import { storageError } from "../session/indexeddb/failure.js";
import { MemoryStore } from "../session/memory-store.js";
import type {
  BranchQuery,
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
} from "../session/store.js";
import type { SessionHeader } from "../session/types.js";
import { Pace } from "../stream/pace.js";
import { firstLine, headerOf, lineOf, readLines } from "./lines.js";
import type { TextLog } from "./log.js";

/** Which session, and where times are from. */
export interface JsonlStoreOptions {
  /** Of a new session; one that is there already keeps its own. */
  id?: string | undefined;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
}

/** A commit that was sent, and of which it is not known whether it arrived. */
interface Doubt {
  asked: string;
  line: string;
  done: Committed;
  landed: boolean;
}

/**
 * A session in lines of version 4. A commit is one line: it is there whole or not at all. All of the session is held in
 * memory, and read once.
 */
export class JsonlStore implements SessionStore {
  readonly persisted: boolean;
  readonly #log: TextLog;
  readonly #now: () => number;
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  #id: string;
  #role: StoreRole = "writer";
  /** What the log says; without it, it has to be read. */
  #view: MemoryStore | undefined;
  #isEmpty = true;
  #torn: number | undefined;
  #doubt: Doubt | undefined;
  #opened = false;
  #closed = false;
  /** One thing at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  /** @throws AgentError `invalid_request` for an option that does not exist */
  constructor(log: TextLog, options: JsonlStoreOptions = {}) {
    const { id = uuid(), now = Date.now } = given(options, "options");
    checkNames("option of a store", options, { id, now });
    given(log?.append, "log.append", "function");
    this.#log = log;
    this.#id = id;
    this.#now = now;
    this.persisted = log.persisted ?? true;
  }

  /** Known for sure once the store is open: a log that is there says whose it is. */
  get id(): string {
    return this.#id;
  }

  get role(): StoreRole {
    return this.#role;
  }

  async open(): Promise<void> {
    await this.#read(async () => {});
  }

  header(): Promise<SessionHeader | undefined> {
    return this.#read((view) => view.header());
  }

  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(given(listener, "listener", "function"));
    return () => this.#listeners.delete(listener);
  }

  /** Reads what others wrote, and writes from now on. */
  takeOver(): Promise<void> {
    return this.#next(async () => {
      this.#opened = false;
      this.#view = undefined;
      await this.#ready();
      this.#become("writer");
    });
  }

  async commit(writes: readonly StoreWrite[]): Promise<Committed> {
    if (this.#closed) throw new SessionError("closed");
    const { writes: own } = admit(writes);
    return this.#next(() => this.#commit(own));
  }

  entries(ids: readonly string[]): Promise<(StoredEntry | undefined)[]> {
    return this.#read((view) => view.entries(ids));
  }

  value(namespace: string, key: string): Promise<unknown> {
    return this.#read((view) => view.value(namespace, key));
  }

  scanValues(namespace: string, prefix?: string): Promise<[string, unknown][]> {
    return this.#read((view) => view.scanValues(namespace, prefix));
  }

  namespaces(): Promise<string[]> {
    return this.#read((view) => view.namespaces());
  }

  readList(namespace: string, key: string, page?: ListPage): Promise<unknown[]> {
    return this.#read((view) => view.readList(namespace, key, page));
  }

  scanBranch(query: BranchQuery): Promise<StoredEntry[]> {
    return this.#read((view) => view.scanBranch(query));
  }

  scanEntries(query?: EntryQuery & { order?: "asc" | "desc" }): Promise<StoredEntry[]> {
    return this.#read((view) => view.scanEntries(query));
  }

  scanUsage(): Promise<UsageRow[]> {
    return this.#read((view) => view.scanUsage());
  }

  stats(): Promise<StoreStats> {
    return this.#read((view) => view.stats());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue;
    if (this.#opened) await this.#log.close?.();
  }

  #next<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(action).catch(async (thrown: unknown) => {
      throw await storageError(thrown);
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  #read<T>(action: (view: MemoryStore) => Promise<T>): Promise<T> {
    return this.#next(async () => action(await this.#ready()));
  }

  /** Reads the log where that is needed. */
  async #ready(): Promise<MemoryStore> {
    if (this.#view) return this.#view;
    if (!this.#opened) await this.#log.open?.();
    this.#opened = true;
    const { first, commits, lastLine, torn } = readLines(await this.#log.read());
    if (first) this.#id = String(first.id);
    const view = new MemoryStore({ id: this.#id, now: this.#now });
    const header = first && headerOf(first);
    if (header) view.begin(0, header);
    const pace = new Pace();
    for (const { writes, seqs, place } of commits) {
      try {
        // Other programs leave numbers out.
        for (const [at, write] of writes.entries()) {
          view.begin((seqs[at] ?? 0) - 1);
          await view.commit([write]);
          if (pace.due()) await pace.rest();
        }
      } catch (cause) {
        throw new SessionError("corrupt", place, { cause });
      }
    }
    if (this.#doubt) this.#doubt.landed = `${lastLine}\n` === this.#doubt.line;
    this.#torn = torn;
    this.#isEmpty = !first;
    this.#view = view;
    return view;
  }

  async #commit(writes: readonly StoreWrite[]): Promise<Committed> {
    if (this.#role === "mirror") throw new SessionError("fenced");
    const view = await this.#ready();
    const doubt = this.#doubt;
    this.#doubt = undefined;
    // Asked for again, after it was not known whether it had arrived.
    if (doubt?.landed && doubt.asked === JSON.stringify(writes)) return doubt.done;
    await this.#mend();
    const done = await view.commit(writes);
    if (writes.length === 0) return done;
    const line = lineOf(writes, done);
    const header = writes.find((write) => write.kind === "header")?.header;
    const first = this.#isEmpty ? firstLine(this.#id, done.timestamp, header) : "";
    try {
      await this.#log.append(first + line, done.firstSeq);
    } catch (thrown) {
      // Nobody knows what is there now: it is read again.
      this.#view = undefined;
      this.#doubt = { asked: JSON.stringify(writes), line, done, landed: false };
      if (thrown instanceof SessionError && thrown.code === "fenced") this.#become("mirror");
      else if (await this.#hasLanded()) return done;
      throw thrown;
    }
    this.#isEmpty = false;
    return done;
  }

  async #hasLanded(): Promise<boolean> {
    try {
      await this.#ready();
    } catch {
      return false;
    }
    const landed = this.#doubt?.landed ?? false;
    this.#doubt = undefined;
    return landed;
  }

  /** Cuts the rest of a line that was not written to its end. */
  async #mend(): Promise<void> {
    if (this.#torn === undefined) return;
    if (!this.#log.truncate) throw new SessionError("failed");
    await this.#log.truncate(this.#torn);
    this.#torn = undefined;
  }

  #become(role: StoreRole): void {
    if (this.#role === role) return;
    this.#role = role;
    for (const listener of [...this.#listeners]) listener({ type: "role", role });
  }
}
