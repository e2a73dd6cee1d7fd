export {
  appendTo,
  createBranch,
  type ForkScope,
  forkWrites,
  moveTip,
  type NewEntry,
  setLabel,
  setName,
  treeWrites,
} from "./branches.js";
export { initSessions } from "../engine/session.js";
export { SessionError } from "./call.js";
export {
  calculateContextTokens,
  collectEntriesForBranchSummary,
  compact,
  DEFAULT_COMPACTION_SETTINGS,
  estimateContextTokens,
  estimateTokens,
  fileOperations,
  findCutPoint,
  overflowOf,
  prepareBranchEntries,
  prepareCompaction,
  serializeConversation,
  shouldCompact,
} from "./compaction.js";
export * from "./indexeddb/index.js";
export { MemoryStore } from "./memory-store.js";
export type { CompactionOptions } from "./auto-compaction.js";
export type { ContextUsage } from "./context-usage.js";
export type { FindModel } from "./core-options.js";
export type { ForkOptions } from "./fork.js";
export type * from "./hooks.js";
export { CompactionError, type CompactionRefusal, type ModelSizes, type SizeSettings } from "./limits.js";
export type { Navigated, NavigateOptions } from "./navigation.js";
export type { Summarizer } from "./make-compaction.js";
export { Session, type SessionOptions } from "./session.js";
export type {
  CompactionReason,
  CompactionResult,
  Restored,
  SessionEvent,
  SessionListener,
} from "./session-events.js";
export { redact, type Redacted, type RedactOptions } from "./redact.js";
export { replay, type ReplayOptions } from "./replay.js";
export {
  type BranchQuery,
  type CommitOptions,
  type Committed,
  type EntryQuery,
  type ListPage,
  type SessionStore,
  setOrDelete,
  setValue,
  type StoredEntry,
  type StoreEvent,
  type StoreRole,
  type StoreStats,
  type StoreWrite,
  type UsageRow,
} from "./store.js";
export type { ExportOptions } from "./export-as.js";
export type { ReadOptions, ReadProgress, SessionSource } from "./slices.js";
export { type Summary, type SummaryOptions, summarize, summarizeBranch } from "./summaries.js";
export { convertToLlm, SessionTree, withoutFailed } from "./tree.js";
export type * from "./types.js";
