/** What is in the database: SESSIONS 5.2. `s` is the session everywhere. */
import type { DBSchema, IDBPDatabase } from "idb";
import type { Usage } from "../../types.js";
import type { SessionEntry, SessionHeader } from "../types.js";

/** The version of the schema. */
export const VERSION = 1;

/** What the list shows of a session, and what the writer goes by. Kept up to date by every commit. */
export interface SessionRow {
  id: string;
  header?: SessionHeader;
  name?: string;
  /** Milliseconds since 1970. */
  created: number;
  modified: number;
  /** The session it was made from. */
  parent?: string;
  entryCount: number;
  messageCount: number;
  usageCount: number;
  /** The sum of the rows of usage. */
  usage: Usage;
  /** What was said first. */
  preview: string;
  nextSeq: number;
  /** Entries up to this number are in packs, too. */
  packed: number;
  /** Rises with every writer: what was begun under another one fails. */
  epoch: number;
  /** The number of the last commit of this epoch, and the first sequence number in it. */
  lastCommit: number;
  lastSeq: number;
  /** Where there are no Web Locks: who writes, and until when without renewal. */
  lease?: { owner: string; expires: number };
  /** What a later version has to know about how this is stored. */
  formatNotes: string[];
}

export interface EntryRow {
  s: string;
  id: string;
  seq: number;
  /** Empty: a root. `null` is no key. */
  parentId: string;
  entry: SessionEntry;
  /** Where in the entry a blob stands for a text. */
  blobs?: (string | number)[][];
}

/** Entries as one text: see `EntryPack`. */
export interface PackedRows {
  text: Uint8Array;
  outline: string;
  told: string;
  shapes: number;
  seqs: number[];
  /** Rows that JSON cannot tell, or that have blobs, by place. */
  apart: [place: number, row: EntryRow][];
}

export interface Schema extends DBSchema {
  sessions: { key: string; value: SessionRow; indexes: { modified: number; parent: string } };
  entries: {
    key: [string, string];
    value: EntryRow;
    indexes: { bySeq: [string, number]; byParent: [string, string, number] };
  };
  values: {
    key: [string, string, string];
    value: { s: string; ns: string; key: string; value: unknown; seq: number };
  };
  lists: {
    key: [string, string, string, number];
    value: { s: string; ns: string; key: string; seq: number; value: unknown };
  };
  usage: {
    key: [string, string];
    value: { s: string; id: string; seq: number; row: Record<string, unknown> };
    indexes: { bySeq: [string, number] };
  };
  /** Long texts, and packs of entries. */
  blobs: {
    key: [string, string];
    value: {
      s: string;
      sha256: string;
      blob?: Blob;
      /** A pack. */
      packed?: PackedRows;
      /** A pack of entries of which one cannot be told in outline. */
      rows?: EntryRow[];
    };
  };
  /** Of runs that go on after a reload; nothing writes it yet. */
  journal: { key: [string, number]; value: { s: string; n: number } };
}

export type StoreName = "sessions" | "entries" | "values" | "lists" | "usage" | "blobs" | "journal";

/** All of them. */
export const STORES: StoreName[] = ["sessions", "entries", "values", "lists", "usage", "blobs", "journal"];

/** Makes the object stores of an empty database. */
export function createStores(db: IDBPDatabase<Schema>): void {
  const sessions = db.createObjectStore("sessions", { keyPath: "id" });
  sessions.createIndex("modified", "modified");
  sessions.createIndex("parent", "parent");
  const entries = db.createObjectStore("entries", { keyPath: ["s", "id"] });
  entries.createIndex("bySeq", ["s", "seq"], { unique: true });
  entries.createIndex("byParent", ["s", "parentId", "seq"]);
  db.createObjectStore("values", { keyPath: ["s", "ns", "key"] });
  db.createObjectStore("lists", { keyPath: ["s", "ns", "key", "seq"] });
  const usage = db.createObjectStore("usage", { keyPath: ["s", "id"] });
  usage.createIndex("bySeq", ["s", "seq"], { unique: true });
  db.createObjectStore("blobs", { keyPath: ["s", "sha256"] });
  db.createObjectStore("journal", { keyPath: ["s", "n"] });
}

/** All keys that begin with these parts: an array is above every string and number. */
export function within(...parts: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []]);
}
