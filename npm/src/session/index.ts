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
  type Summary,
  type SummaryOptions,
  summarize,
  summarizeBranch,
} from "./compaction.js";
export * from "./indexeddb/index.js";
export { MemoryStore } from "./memory-store.js";
export { Session, type SessionOptions } from "./session.js";
export type {
  CompactionReason,
  CompactionResult,
  Restored,
  SessionEvent,
  SessionListener,
} from "./session-events.js";
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
export { convertToLlm, SessionTree, withoutFailed } from "./tree.js";
export type * from "./types.js";
