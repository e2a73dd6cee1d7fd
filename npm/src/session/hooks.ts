/** What an application may have a say in. */
import type { MaybePromise } from "../types/json.js";
import type { Usage } from "../types.js";
import type { CompactionReason } from "./session-events.js";
import type { CompactionEntry, CompactionPreparation, SessionEntry } from "./types.js";

/** A compaction that is about to be made. */
export interface BeforeCompaction {
  reason: CompactionReason;
  /** The request that was too long is made again afterwards. */
  willRetry: boolean;
  preparation: CompactionPreparation;
  /** The branch, oldest first. */
  branchEntries: SessionEntry[];
  customInstructions: string | undefined;
  /** Fires when the compaction is cancelled. */
  signal: AbortSignal;
}

/** A summary that the application made itself. What is missing is taken from the preparation. */
export interface OwnCompaction {
  summary: string;
  firstKeptEntryId?: string;
  tokensBefore?: number;
  details?: unknown;
  usage?: Usage;
}

/** A move to another entry that is about to be made. */
export interface BeforeNavigation {
  targetId: string;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** What is left behind, oldest first. */
  entriesToSummarize: SessionEntry[];
  summarize: boolean;
  customInstructions: string | undefined;
  replaceInstructions: boolean;
  label: string | undefined;
  signal: AbortSignal;
}

/** What a hook makes of a move. */
export interface NavigationChange {
  cancel?: boolean;
  /** In place of asking the model, where a summary is wanted. */
  summary?: { summary: string; details?: unknown; usage?: Usage };
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

/** Hooks of a session. One that throws is told of as `warning`, and counts as one that said nothing. */
export interface SessionHooks {
  beforeCompaction?: (
    event: BeforeCompaction,
  ) => MaybePromise<{ cancel?: boolean; compaction?: OwnCompaction } | undefined> | MaybePromise<void>;
  /** The entry is stored. Runs may begin: it may send a prompt, unless a run waits for it (then that is refused, `busy`). */
  afterCompaction?: (event: {
    entry: CompactionEntry;
    fromHook: boolean;
    reason: CompactionReason;
    willRetry: boolean;
  }) => MaybePromise<void>;
  compactionFailed?: (event: {
    reason: CompactionReason;
    errorMessage?: string;
    aborted: boolean;
    willRetry: boolean;
  }) => MaybePromise<void>;
  beforeNavigation?: (
    event: BeforeNavigation,
  ) => MaybePromise<NavigationChange | undefined> | MaybePromise<void>;
  afterNavigation?: (event: {
    oldLeafId: string | null;
    newLeafId: string | null;
    summaryEntry?: SessionEntry;
    fromHook: boolean;
  }) => MaybePromise<void>;
}
