/** How full the context of a model is. */
import { hasFailed, isAnswer } from "../answers.js";
import type { Model } from "../types.js";
import type { SessionTree } from "./tree.js";
import type { SessionMessageEntry } from "./types.js";

export interface ContextUsage {
  /** `null`: not known, until an answer has counted what a compaction left. */
  tokens: number | null;
  /** 0: not known. */
  window: number;
  percent: number | null;
}

/** What an answer counted before the last compaction is not trusted. */
export function contextUsage(tree: SessionTree, { contextWindow }: Model): ContextUsage {
  const window = contextWindow > 0 ? contextWindow : 0;
  const last = tree.findLast((entry) => {
    const { message } = entry as SessionMessageEntry;
    // A model that reports nothing has answered all the same: then it is an estimate.
    return (
      entry.type === "compaction" || (entry.type === "message" && isAnswer(message) && !hasFailed(message))
    );
  });
  const counted = last?.type !== "compaction";
  const tokens = counted ? tree.contextSize().tokens : null;
  return { tokens, window, percent: tokens === null || window === 0 ? null : (tokens / window) * 100 };
}
