/** What a place to keep a session must do: commits that happen whole or not at all, in order. */
import type { Loose, Usage } from "../types.js";
import type { SessionEntry } from "./types.js";

/** An entry as it is stored. */
export type StoredEntry = SessionEntry & { seq: number };

/** A row of usage. */
export interface UsageRow {
  /** Shares its names with the entries. */
  id: string;
  usage: Usage;
  seq?: number;
  [member: string]: Loose;
}

/** One write of a commit. An entry gets the time of the commit where it has none. */
export type StoreWrite =
  | { kind: "entry"; entry: Omit<SessionEntry, "timestamp"> & { timestamp?: string } }
  | { kind: "usage"; row: UsageRow }
  | { kind: "value"; op: "set"; namespace: string; key: string; value: unknown }
  | { kind: "value"; op: "delete"; namespace: string; key: string }
  | { kind: "list"; op: "append"; namespace: string; key: string; value: unknown }
  | { kind: "list"; op: "delete"; namespace: string; key: string };

/** What a commit came to. */
export interface Committed {
  /** The sequence number of the first write; numbers rise over the whole session. */
  firstSeq: number;
  seqs: number[];
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** What is read of entries. Order of the steps: stop, filter, cursor, limit. */
export interface EntryQuery {
  type?: string;
  customType?: string;
  /** Goes on after this sequence number, in the order of the query. */
  cursor?: { seq: number };
  limit?: number;
}

/** What is read of a branch. */
export interface BranchQuery extends EntryQuery {
  /** The entry to begin at; the branch goes from there to its root. */
  start: string;
  /** Default `newestFirst`. */
  order?: "newestFirst" | "oldestFirst";
  /** Stops at this entry, which still counts. */
  stopAtId?: string;
  /** Stops at the first entry of this type, which still counts. */
  stopAtType?: string;
}

/** Counts of a session. */
export interface StoreStats {
  messageCount: number;
  /** The sum of the rows of usage. */
  usage: Usage;
}

/**
 * Keeps one session. A failed commit changes nothing; commits are in order. Errors are `SessionError`s: `duplicate_id`,
 * `missing_parent`, `pending_message`, `malformed`, `unknown_entry`, `bad_limit`, `closed`.
 */
export interface SessionStore {
  /** Whether what is written outlives the page. */
  readonly persisted: boolean;
  commit(writes: readonly StoreWrite[]): Promise<Committed>;
  entries(ids: readonly string[]): Promise<(StoredEntry | undefined)[]>;
  value(namespace: string, key: string): Promise<unknown>;
  /** The keys that begin so, with their values, in the order of code points. */
  scanValues(namespace: string, prefix?: string): Promise<[key: string, value: unknown][]>;
  /** The namespaces that hold values. */
  namespaces(): Promise<string[]>;
  /** A page of a list; `limit` from 1 to 10000, default 1000. */
  readList(
    namespace: string,
    key: string,
    page?: { order?: "asc" | "desc"; limit?: number },
  ): Promise<unknown[]>;
  scanBranch(query: BranchQuery): Promise<StoredEntry[]>;
  /** By sequence number; default newest first. */
  scanEntries(query?: EntryQuery & { order?: "asc" | "desc" }): Promise<StoredEntry[]>;
  scanUsage(): Promise<UsageRow[]>;
  stats(): Promise<StoreStats>;
  /** Refuses new commits. Harmless twice. */
  close(): Promise<void>;
}

/** The namespace of the tips of branches. */
export const TIPS = "pi.branch.tip";
/** The namespace of labels, by entry. */
export const LABELS = "pi.entry.label";
/** The namespace of the name; its key is empty. */
export const NAME = "pi.session.name";
/** A branch with a value here is a lane: it may be forked alone. */
export const LANES = "pi.lane.config";

/** A write that sets a value. */
export function setValue(namespace: string, key: string, value: unknown): StoreWrite {
  return { kind: "value", op: "set", namespace, key, value };
}

/** A write that sets a value, or deletes it where there is none. */
export function setOrDelete(namespace: string, key: string, value: string | undefined): StoreWrite {
  return value === undefined
    ? { kind: "value", op: "delete", namespace, key }
    : setValue(namespace, key, value);
}
