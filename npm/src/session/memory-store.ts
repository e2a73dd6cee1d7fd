/** A store in memory: for tests, and where nothing else can be had. */
import { call, SessionError, uuid } from "./call.js";
import type {
  BranchQuery,
  Committed,
  EntryQuery,
  SessionStore,
  StoredEntry,
  StoreStats,
  StoreWrite,
  UsageRow,
} from "./store.js";
import type { SessionHeader } from "./types.js";

const PAGE = 1000;
const LARGEST_PAGE = 10_000;

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
  constructor({ id = uuid(), now = Date.now }: { id?: string; now?: () => number } = {}) {
    this.id = id;
    this.#now = now;
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
    const own = structuredClone(writes) as StoreWrite[];
    this.#check(own);
    const timestamp = this.#now();
    const firstSeq = this.#seq + 1;
    for (const write of own) this.#apply(write, timestamp);
    return { firstSeq, seqs: own.map((_, place) => firstSeq + place), timestamp };
  }

  #check(writes: readonly StoreWrite[]): void {
    const fresh = new Set<string>();
    const freshEntries = new Set<string>();
    const claim = (id: unknown): string => {
      if (typeof id !== "string" || id === "") throw new SessionError("malformed");
      if (this.#entries.has(id) || this.#usage.has(id) || fresh.has(id))
        throw new SessionError("duplicate_id");
      fresh.add(id);
      return id;
    };
    for (const write of writes) {
      if (write.kind === "entry") {
        const { id, parentId, ...rest } = write.entry;
        claim(id);
        if (typeof parentId === "string" && !this.#entries.has(parentId) && !freshEntries.has(parentId))
          throw new SessionError("missing_parent");
        const { message } = rest as { message?: { role?: unknown; stopReason?: unknown } };
        if (message?.role === "assistant" && message.stopReason === "pending")
          throw new SessionError("pending_message");
        freshEntries.add(id);
      } else if (write.kind === "usage") claim(write.row.id);
      else if (write.kind === "header") {
        if (write.header?.type !== "session") throw new SessionError("malformed");
      } else {
        const { namespace, key } = write;
        if (typeof key !== "string" || !namespace || `${namespace}${key}`.includes("\0"))
          throw new SessionError("malformed");
      }
    }
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
    return structuredClone(ids.map((id) => this.#entries.get(id)));
  }

  async value(namespace: string, key: string): Promise<unknown> {
    return structuredClone(this.#values.get(namespace)?.get(key));
  }

  async scanValues(namespace: string, prefix = ""): Promise<[string, unknown][]> {
    const all = [...(this.#values.get(namespace) ?? [])].filter(([key]) => key.startsWith(prefix));
    return structuredClone(all.sort(([a], [b]) => byCodePoint(a, b)));
  }

  async namespaces(): Promise<string[]> {
    return [...this.#values].filter(([, keys]) => keys.size > 0).map(([name]) => name);
  }

  async readList(
    namespace: string,
    key: string,
    { order = "asc", limit = PAGE }: { order?: "asc" | "desc"; limit?: number } = {},
  ): Promise<unknown[]> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > LARGEST_PAGE)
      throw new SessionError("bad_limit");
    const list = this.#lists.get(namespace)?.get(key) ?? [];
    return structuredClone(order === "asc" ? list.slice(0, limit) : list.slice(-limit).reverse());
  }

  async scanBranch(query: BranchQuery): Promise<StoredEntry[]> {
    const branch: StoredEntry[] = [];
    for (let id: string | null = query.start; id !== null; ) {
      const entry = this.#entries.get(id);
      if (!entry) throw new SessionError("unknown_entry");
      branch.push(entry);
      id = entry.parentId;
    }
    const oldestFirst = query.order === "oldestFirst";
    return select(oldestFirst ? branch.reverse() : branch, query, oldestFirst);
  }

  async scanEntries(query: EntryQuery & { order?: "asc" | "desc" } = {}): Promise<StoredEntry[]> {
    const all = [...this.#entries.values()];
    const oldestFirst = query.order === "asc";
    return select(oldestFirst ? all : all.reverse(), query, oldestFirst);
  }

  async scanUsage(): Promise<UsageRow[]> {
    return structuredClone([...this.#usage.values()]);
  }

  async stats(): Promise<StoreStats> {
    let messageCount = 0;
    for (const { type } of this.#entries.values()) if (type === "message") messageCount++;
    const usages = [...this.#usage.values()].map(({ usage }) => usage);
    return { messageCount, usage: call(undefined, { op: "totalUsage", usages }) };
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

function select(
  entries: readonly StoredEntry[],
  query: EntryQuery & { stopAtId?: string; stopAtType?: string },
  rising: boolean,
): StoredEntry[] {
  const { type, customType, cursor, limit = Number.POSITIVE_INFINITY, stopAtId, stopAtType } = query;
  const found: StoredEntry[] = [];
  for (const entry of entries) {
    const fits = type === undefined || entry.type === type;
    const named = customType === undefined || (entry as { customType?: unknown }).customType === customType;
    const past = !cursor || (rising ? entry.seq > cursor.seq : entry.seq < cursor.seq);
    if (fits && named && past && found.length < limit) found.push(entry);
    if (entry.id === stopAtId || entry.type === stopAtType) break;
  }
  return structuredClone(found);
}

/** JavaScript sorts by UTF-16 units, which puts what is beyond U+FFFF before U+E000. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [place, letter] of left.entries()) {
    const difference = (letter.codePointAt(0) ?? 0) - (right[place]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
