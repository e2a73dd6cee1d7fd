/** What a place to keep a session must do: commits that happen whole or not at all, in order. */
import type { Loose, Usage } from "../types.js";
import type { SessionError } from "./call.js";
import type { SessionEntry, SessionHeader } from "./types.js";

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
  | { kind: "header"; header: SessionHeader }
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

/** How a commit is done. */
export interface CommitOptions {
  /**
   * `strict` waits until the device has it: a loss of power loses nothing. `relaxed`, the default, is faster and outlives
   * the page and the browser.
   */
  durability?: "relaxed" | "strict";
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

/** A page of a list. */
export interface ListPage {
  order?: "asc" | "desc";
  limit?: number;
}

/** Counts of a session. */
export interface StoreStats {
  messageCount: number;
  /** The sum of the rows of usage. */
  usage: Usage;
}

/** Of several pages that have a session open, one writes; the others follow it. */
export type StoreRole = "writer" | "mirror";

/** What happens to a store without its doing. */
export type StoreEvent =
  /** Another page has written: numbers `firstSeq` to `lastSeq` are there to be read. A hint; some may never come. */
  | { type: "changed"; firstSeq: number; lastSeq: number }
  /** This page may write from now on, or no more. */
  | { type: "role"; role: StoreRole }
  /** The session was removed. */
  | { type: "gone" }
  /**
   * Another page asks to write. The store lets go when what is given to `until` has settled, at once without any; after
   * 5 seconds the other page goes on in any case.
   */
  | { type: "asked"; until(settled: Promise<unknown>): void }
  /** Another page has given this to `post()`. */
  | { type: "heard"; message: unknown }
  /** The store can go on only in part; `error.code` says why. */
  | { type: "error"; error: SessionError };

/**
 * Keeps one session. A failed commit changes nothing; commits are in order. Errors are `SessionError`s: `duplicate_id`,
 * `missing_parent`, `pending_message`, `malformed`, `unknown_entry`, `bad_limit`, `closed`, and of stores that outlive
 * the page also `quota`, `blocked`, `version`, `gone`, `fenced` (another page writes now), `corrupt`, `unavailable` (no
 * such storage here), `failed` (the browser could not do it).
 */
export interface SessionStore {
  /** The id of the session. */
  readonly id: string;
  /** Whether what is written outlives the page. */
  readonly persisted: boolean;
  /** Whether this page may write. Known once `open()` is done. */
  readonly role: StoreRole;
  /** Makes the store ready: opens what it is kept in, and asks to be the writer. Harmless twice; others call it as needed. */
  open(): Promise<void>;
  /** The header that was written, if any: a session without one is new. */
  header(): Promise<SessionHeader | undefined>;
  /** Tells what happens from outside. Gives a function that stops it. */
  subscribe(listener: (event: StoreEvent) => void): () => void;
  /** Becomes the writer, asking the page that is; resolves when it has let go or its time is up. */
  takeOver(): Promise<void>;
  /** Tells the other pages that have the session open, those that live; missing where there is no way. */
  post?(message: unknown): void;
  /** @param options for stores that outlive the page */
  commit(writes: readonly StoreWrite[], options?: CommitOptions): Promise<Committed>;
  entries(ids: readonly string[]): Promise<(StoredEntry | undefined)[]>;
  value(namespace: string, key: string): Promise<unknown>;
  /** The keys that begin so, with their values, in the order of code points. */
  scanValues(namespace: string, prefix?: string): Promise<[key: string, value: unknown][]>;
  /** The namespaces that hold values. */
  namespaces(): Promise<string[]>;
  /** A page of a list; `limit` from 1 to 10000, default 1000. */
  readList(namespace: string, key: string, page?: ListPage): Promise<unknown[]>;
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
