/** Answers that say that a context is too long (COMPACTION 4). */
import type { AssistantMessage, Model } from "../types.js";
import { overflowOf } from "./compaction.js";

/** Whether the model of the conversation gave an answer. */
export const isFrom = (answer: AssistantMessage, model: Model): boolean =>
  answer.provider === model.provider && answer.model === model.id;

/** `retry`: nothing came of the request; `done`: the answer is whole, and the next request will not fit. */
export function overflow(answer: AssistantMessage, model: Model): "retry" | "done" | undefined {
  const { stopReason, diagnostics } = answer;
  if (stopReason === "aborted" || !isFrom(answer, model)) return undefined;
  const told = overflowOf(answer, model.contextWindow, model.maxTokens);
  const coded = stopReason === "error" && diagnostics?.[0]?.code === "context_overflow";
  const cut = told.isRecoverableLength && wasClamped(answer, model);
  if (!coded && !told.isContextOverflow && !cut) return undefined;
  return stopReason === "error" || stopReason === "length" ? "retry" : "done";
}

/**
 * Whether the context left less room than the answer wanted. Where it did not, a stream function of the application has
 * set a limit of its own, and the answer is as long as it is meant to be.
 */
function wasClamped({ usage }: AssistantMessage, { contextWindow, maxTokens }: Model): boolean {
  return usage.input + usage.cacheRead + usage.cacheWrite + maxTokens > contextWindow;
}
