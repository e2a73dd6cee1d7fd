/** What every store refuses, and how every store selects. */
import { SessionError } from "./call.js";
import { given } from "./given.js";
import type { EntryQuery, ListPage, StoredEntry, StoreWrite } from "./store.js";

const PAGE = 1000;
const LARGEST_PAGE = 10_000;

/** Writes that are fit to be stored, and what the store has to look up before. */
export interface Admitted {
  /** A copy that nobody else can change. */
  writes: StoreWrite[];
  /** New ids, of entries and of rows of usage: none may be there. */
  ids: string[];
  /** Entries that have to be there. */
  parents: string[];
}

/**
 * Checks what can be checked without looking into the store.
 *
 * @throws SessionError `malformed`, `duplicate_id` (among themselves), `pending_message`
 */
export function admit(writes: readonly StoreWrite[]): Admitted {
  const own = copied(given(writes, "writes", "array"));
  const ids = new Set<string>();
  const entries = new Set<string>();
  const parents = new Set<string>();
  const claim = (id: unknown): string => {
    if (typeof id !== "string" || id === "") throw new SessionError("malformed");
    if (ids.has(id)) throw new SessionError("duplicate_id");
    ids.add(id);
    return id;
  };
  for (const write of own) {
    if (write.kind === "entry") {
      const { id, parentId, message } = write.entry as Partial<StoredEntry> & { message?: Answer };
      if (typeof parentId === "string" && !entries.has(parentId)) parents.add(parentId);
      entries.add(claim(id));
      if (message?.role === "assistant" && message.stopReason === "pending")
        throw new SessionError("pending_message");
    } else if (write.kind === "usage") claim(write.row.id);
    else if (write.kind === "header") {
      if (write.header?.type !== "session") throw new SessionError("malformed");
    } else {
      const { namespace, key } = write;
      if (typeof key !== "string" || !namespace || `${namespace}${key}`.includes("\0"))
        throw new SessionError("malformed");
    }
  }
  return { writes: own, ids: [...ids], parents: [...parents] };
}

interface Answer {
  role?: unknown;
  stopReason?: unknown;
}

function copied(writes: readonly StoreWrite[]): StoreWrite[] {
  try {
    return structuredClone(writes) as StoreWrite[];
  } catch (cause) {
    throw new SessionError("malformed", undefined, { cause });
  }
}

/** The page that is asked for. @throws SessionError `bad_limit` */
export function pageOf(page: ListPage = {}): Required<ListPage> {
  const { order = "asc", limit = PAGE } = given(page, "page");
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LARGEST_PAGE) throw new SessionError("bad_limit");
  return { order, limit };
}

/** What selects entries. */
export type Selection = EntryQuery & { stopAtId?: string; stopAtType?: string };

/** Whether a query ends with this entry. */
export function endsAt(entry: StoredEntry, { stopAtId, stopAtType }: Selection): boolean {
  return entry.id === stopAtId || entry.type === stopAtType;
}

/** The entries that a query selects of these, which are in its order. */
export function select(entries: readonly StoredEntry[], query: Selection, rising: boolean): StoredEntry[] {
  const { type, customType, cursor, limit = Number.POSITIVE_INFINITY } = query;
  const found: StoredEntry[] = [];
  for (const entry of entries) {
    const fits = type === undefined || entry.type === type;
    const named = customType === undefined || (entry as { customType?: unknown }).customType === customType;
    const past = !cursor || (rising ? entry.seq > cursor.seq : entry.seq < cursor.seq);
    if (fits && named && past && found.length < limit) found.push(entry);
    if (endsAt(entry, query)) break;
  }
  return found;
}

/** Sorts by the code points of the keys. */
export function inOrder(values: [key: string, value: unknown][]): [key: string, value: unknown][] {
  return values.sort(([a], [b]) => byCodePoint(a, b));
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
