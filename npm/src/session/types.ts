/** Sessions: the shapes of pi's files of version 3, and what is asked and told about them. */
import type { AgentMessage, JsonValue, Loose, TextContent, ImageContent, Usage } from "../types.js";

/** What every entry has. */
export interface SessionEntryBase {
  type: string;
  /** Unique in the session. */
  id: string;
  /** The entry before it; `null`: a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

/** The content of a message of the application. */
export type SessionContent = string | (TextContent | ImageContent)[];

/** Optional parts of a summary. */
export interface SummaryExtras {
  /** Anything; the file lists of our own summaries. */
  details?: Loose;
  /** What the summary cost. */
  usage?: Usage;
  /** The application made it. */
  fromHook?: boolean;
}

/** A message of the conversation. */
export interface SessionMessageEntry extends SessionEntryBase {
  type: "message";
  message: AgentMessage;
}

/** A summary that stands for everything before `firstKeptEntryId`. */
export interface CompactionEntry extends SessionEntryBase, SummaryExtras {
  type: "compaction";
  summary: string;
  firstKeptEntryId?: string;
  tokensBefore: number;
}

/** A summary of a branch that was left. */
export interface BranchSummaryEntry extends SessionEntryBase, SummaryExtras {
  type: "branch_summary";
  /** The leaf of that branch, or `root`. */
  fromId: string;
  summary: string;
}

/** Any other entry: settings, labels, names, state and messages of the application, and types of tomorrow. */
export interface OtherSessionEntry extends SessionEntryBase {
  [member: string]: Loose;
}

/** An entry, as it stands in a file. Never changed, never removed. */
export type SessionEntry = SessionMessageEntry | CompactionEntry | BranchSummaryEntry | OtherSessionEntry;

/** The first line of a file. */
export interface SessionHeader {
  type: "session";
  version?: number;
  id: string;
  timestamp: string;
  cwd: string;
  /** The session this one was made from. */
  parentSession?: string;
  [member: string]: Loose;
}

/** Something in a file that was not as it should be. */
export interface ImportReport {
  code:
    | "truncated_tail"
    | "bad_line"
    | "missing_id"
    | "duplicate_id"
    | "orphan"
    | "cycle"
    | "future_version"
    | "kept_off_path"
    | "open_run";
  /** From 1. */
  line?: number;
  /** The entry. */
  id?: string;
  /** Where a cut line begins, in bytes. */
  offset?: number;
}

/** Where ids and times are from. */
export interface SessionSources {
  /** A fresh id; 8 hexadecimal digits by default. One that is taken is drawn again. */
  ids?: () => string;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}

/** How a new session begins. */
export interface NewSessionOptions extends SessionSources {
  /** Letters, digits, dots, underscores and hyphens. Default: a UUID. */
  id?: string;
  /** A path that tools may mean. Default `/project`. */
  cwd?: string;
  parentSession?: string;
}

/** What the model sees of a branch. */
export interface SessionContext {
  messages: AgentMessage[];
  /** The entry that each message is from. */
  sources: SessionEntry[];
  /** The entries that were looked at, a compaction first. */
  entries: SessionEntry[];
  model: { provider: string; modelId: string } | null;
  thinkingLevel: string;
}

/** An entry in the tree. */
export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label?: string;
}

/** What a file of version 4 keeps beside the tree. */
export interface BesideTree {
  /** Namespace, key, and the value, or all of a list. */
  values: [namespace: string, key: string, value: JsonValue, isList: boolean][];
  /** What was used, row by row. */
  usage: Record<string, Loose>[];
}

/** The size of a context, in tokens. */
export interface ContextSize {
  tokens: number;
  /** The part that an answer counted. */
  usageTokens: number;
  /** The part that is estimated. */
  trailingTokens: number;
  /** The message that counted. */
  lastUsageIndex: number | null;
}

/** The sizes that compaction goes by, in tokens. */
export interface CompactionSettings {
  /** Whether it begins by itself. Default true. */
  enabled?: boolean;
  /** It begins when less than this is free. Default 16384. */
  reserveTokens?: number;
  /** About so much of the latest conversation stays as it is. Default 20000. */
  keepRecentTokens?: number;
}

/** What tools do with the file that their argument `path` names, by name of the tool. */
export type FileAccess = Record<string, "read" | "write">;

/** Files that a conversation read and changed. */
export interface FileLists {
  /** Read and not changed. */
  readFiles: string[];
  modifiedFiles: string[];
}

/** All that a compaction needs to know, made before the model is asked. */
export interface CompactionPreparation extends FileLists {
  tokensBefore: number;
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** The beginning of the turn that the cut goes through. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  previousSummary: string | null;
}
