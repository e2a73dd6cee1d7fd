/** What a session tells, and to whom. */
import { Channel } from "../channel.js";
import type { AgentError } from "../errors.js";
import type { AsyncEvents, Usage } from "../types.js";
import { given } from "./given.js";
import type { StoreRole } from "./store.js";
import type { FileLists, SessionEntry } from "./types.js";

/** Why a compaction began: asked for, a full context, or a request that was too long. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** What a compaction came to. */
export interface CompactionResult {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  /** By estimate; the next answer counts. */
  estimatedTokensAfter: number;
  usage?: Usage;
  details?: FileLists | unknown;
}

/** What the session that was opened says about the agent. */
export interface Restored {
  /** Nothing was stored. */
  isNew: boolean;
  /** The model of the branch. */
  model: { provider: string; modelId: string } | null;
  /** Whether `findModel` knew it, and the agent has it. */
  modelFound: boolean;
  thinkingLevel: string;
  /** What was not as it should be in what was stored. `damaged_pack`: a copy that only makes opening faster. */
  reports: readonly { code: string; id?: string }[];
}

/** What happens while a summary is made. */
export type SummaryEvent =
  /** The request for a summary failed and is made again after `delayMs`. */
  | { type: "summary_retry_scheduled"; attempt: number; max: number; delayMs: number; error: string }
  | { type: "summary_retry_start"; attempt: number }
  | { type: "summary_retry_end"; attempt: number; success: boolean }
  /** Text of the summary, as it comes. */
  | { type: "summary_delta"; text: string };

/** What happens to a session. */
export type SessionEvent =
  /** It is open: the agent has its messages. */
  | { type: "ready"; restored: Restored }
  /** An entry was added here. It is stored when the run is over. */
  | { type: "entry_added"; entry: SessionEntry }
  /** The leaf was moved, and the agent has the messages of the other branch. */
  | { type: "session_tree"; oldLeaf: string | null; newLeaf: string | null; summaryEntry?: SessionEntry }
  | { type: "compaction_start"; reason: CompactionReason }
  | SummaryEvent
  /** Exactly one for every `compaction_start`; a prompt may be sent again. */
  | {
      type: "compaction_end";
      reason: CompactionReason;
      result?: CompactionResult;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
    }
  /** Something could not be stored. It is kept, `unsaved` entries in all, and tried again with the next one. */
  | { type: "storage_error"; error: AgentError; unsaved: number }
  /** This page may write from now on, or no more. */
  | { type: "role"; role: StoreRole }
  /** Another page has written; `tree` and the messages of the agent are up to date. */
  | { type: "changed" }
  /** The session was removed. */
  | { type: "gone" }
  /** A hook has thrown, a setting makes no sense for the model, or a message could not be handed on. */
  | { type: "warning"; error: AgentError };

/** Is told what happens to a session. What it throws counts for nothing. */
export type SessionListener = (event: SessionEvent) => void;

/** Hands events to listeners and iterators. */
export class SessionEvents {
  private readonly listeners = new Set<SessionListener>();
  private readonly channels = new Set<Channel<SessionEvent>>();

  /** @param failed told what a listener throws */
  constructor(private readonly failed: (thrown: unknown) => void) {}

  emit(event: SessionEvent): void {
    for (const channel of this.channels) channel.push(event);
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (thrown) {
        this.failed(thrown);
      }
    }
  }

  subscribe(listener: SessionListener): () => void {
    this.listeners.add(given(listener, "listener", "function"));
    return () => {
      this.listeners.delete(listener);
    };
  }

  iterate(): AsyncEvents<SessionEvent> {
    const channel = new Channel<SessionEvent>();
    this.channels.add(channel);
    return channel.iterate(() => {
      this.channels.delete(channel);
    });
  }

  close(): void {
    for (const channel of this.channels) channel.close();
    this.channels.clear();
    this.listeners.clear();
  }
}
