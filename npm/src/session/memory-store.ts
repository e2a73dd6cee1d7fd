/** A store in memory: for tests, and where nothing else can be had. */
import { checkNames } from "../names.js";
import { Pace } from "../stream/pace.js";
import { totalUsage } from "../usage.js";
import { SessionError, uuid } from "./call.js";
import { admit, inOrder, pageOf, select } from "./checks.js";
import { given } from "./given.js";
import type {
  BranchQuery,
  Committed,
  EntryQuery,
  ListPage,
  SessionStore,
  StoredEntry,
  StoreStats,
  StoreWrite,
  UsageRow,
} from "./store.js";
import type { SessionHeader } from "./types.js";

/** A session in memory. What is written is copied, and so is what is read. */
export class MemoryStore implements SessionStore {
  readonly id: string;
  readonly persisted = false;
  readonly role = "writer";
  readonly #now: () => number;
  readonly #entries = new Map<string, StoredEntry>();
  readonly #usage = new Map<string, UsageRow>();
  /** By namespace, then by key. */
  readonly #values = new Map<string, Map<string, unknown>>();
  readonly #lists = new Map<string, Map<string, unknown[]>>();
  #header: SessionHeader | undefined;
  #seq = 0;
  #closed = false;

  /** @param options `id`: of the session, by default a new one; `now`: milliseconds since 1970 */
  constructor(options: { id?: string; now?: () => number } = {}) {
    const { id = uuid(), now = Date.now } = given(options, "options");
    checkNames("option of a store", options, { id, now });
    this.id = id;
    this.#now = now;
  }

  /** @internal For what was kept elsewhere: the next write gets a number above `seq`, the header is none of the writes. */
  begin(seq: number, header?: SessionHeader): void {
    this.#seq = Math.max(this.#seq, seq);
    this.#header = header ?? this.#header;
  }

  async open(): Promise<void> {}

  async header(): Promise<SessionHeader | undefined> {
    return structuredClone(this.#header);
  }

  /** Nobody else can reach what is in memory: nothing is ever told. */
  subscribe(): () => void {
    return () => {};
  }

  async takeOver(): Promise<void> {}

  async commit(writes: readonly StoreWrite[]): Promise<Committed> {
    if (this.#closed) throw new SessionError("closed");
    // All is checked before anything is changed, on a copy that nobody else can change.
    const { writes: own, ids, parents } = admit(writes);
    if (ids.some((id) => this.#entries.has(id) || this.#usage.has(id)))
      throw new SessionError("duplicate_id");
    if (parents.some((id) => !this.#entries.has(id))) throw new SessionError("missing_parent");
    const timestamp = this.#now();
    const firstSeq = this.#seq + 1;
    for (const write of own) this.#apply(write, timestamp);
    return { firstSeq, seqs: own.map((_, place) => firstSeq + place), timestamp };
  }

  #apply(write: StoreWrite, timestamp: number): void {
    const seq = ++this.#seq;
    if (write.kind === "entry") {
      const entry = { ...write.entry, seq } as StoredEntry;
      entry.timestamp ??= new Date(timestamp).toISOString();
      this.#entries.set(entry.id, entry);
    } else if (write.kind === "usage") this.#usage.set(write.row.id, { ...write.row, seq });
    else if (write.kind === "header") this.#header = write.header;
    else if (write.kind === "value") {
      const keys = keysOf(this.#values, write.namespace);
      if (write.op === "set") keys.set(write.key, write.value);
      else keys.delete(write.key);
    } else {
      const keys = keysOf(this.#lists, write.namespace);
      if (write.op === "delete") keys.delete(write.key);
      else {
        const list = keys.get(write.key) ?? [];
        list.push(write.value);
        keys.set(write.key, list);
      }
    }
  }

  async entries(ids: readonly string[]): Promise<(StoredEntry | undefined)[]> {
    return structuredClone(given(ids, "ids", "array").map((id) => this.#entries.get(id)));
  }

  async value(namespace: string, key: string): Promise<unknown> {
    return structuredClone(this.#values.get(namespace)?.get(key));
  }

  async scanValues(namespace: string, prefix = ""): Promise<[string, unknown][]> {
    const all = [...(this.#values.get(namespace) ?? [])].filter(([key]) => key.startsWith(prefix));
    return structuredClone(inOrder(all));
  }

  async namespaces(): Promise<string[]> {
    return [...this.#values].filter(([, keys]) => keys.size > 0).map(([name]) => name);
  }

  async readList(namespace: string, key: string, page?: ListPage): Promise<unknown[]> {
    const { order, limit } = pageOf(page);
    const list = this.#lists.get(namespace)?.get(key) ?? [];
    return structuredClone(order === "asc" ? list.slice(0, limit) : list.slice(-limit).reverse());
  }

  async scanBranch(query: BranchQuery): Promise<StoredEntry[]> {
    const branch: StoredEntry[] = [];
    for (let id: string | null = given(query, "query").start; id !== null; ) {
      const entry = this.#entries.get(id);
      if (!entry) throw new SessionError("unknown_entry");
      branch.push(entry);
      id = entry.parentId;
    }
    const oldestFirst = query.order === "oldestFirst";
    return structuredClone(select(oldestFirst ? branch.reverse() : branch, query, oldestFirst));
  }

  async scanEntries(query: EntryQuery & { order?: "asc" | "desc" } = {}): Promise<StoredEntry[]> {
    const all = [...this.#entries.values()];
    const oldestFirst = given(query, "query").order === "asc";
    const found = select(oldestFirst ? all : all.reverse(), query, oldestFirst);
    const pace = new Pace();
    for (const [at, entry] of found.entries()) {
      found[at] = structuredClone(entry);
      if (pace.due()) await pace.rest();
    }
    return found;
  }

  async scanUsage(): Promise<UsageRow[]> {
    return structuredClone([...this.#usage.values()]);
  }

  async stats(): Promise<StoreStats> {
    let messageCount = 0;
    for (const { type } of this.#entries.values()) if (type === "message") messageCount++;
    const usages = [...this.#usage.values()].map(({ usage }) => usage);
    return { messageCount, usage: totalUsage(usages) };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

function keysOf<T>(namespaces: Map<string, Map<string, T>>, name: string): Map<string, T> {
  let keys = namespaces.get(name);
  if (!keys) {
    keys = new Map();
    namespaces.set(name, keys);
  }
  return keys;
}
