/** What a finished message says about trying again. */
import * as wasm from "../../pkg/steersman.js";
import type { AssistantMessage } from "../types.js";
import { requireEngine } from "./load.js";

/** Whether asking the same again may help. Check {@link isContextOverflow} first. */
export function isRetryable({ stopReason, errorMessage }: AssistantMessage): boolean {
  requireEngine();
  return wasm.messageIsRetryable(text(stopReason), text(errorMessage));
}

/**
 * Whether the input was too long for the model.
 *
 * @param contextWindow tokens, where known: some providers cut the input silently and only the counts show it
 */
export function isContextOverflow(
  { stopReason, errorMessage, provider, usage }: AssistantMessage,
  contextWindow?: number,
): boolean {
  requireEngine();
  return wasm.messageIsOverflow(
    text(stopReason),
    text(errorMessage),
    text(provider),
    count(usage?.input),
    count(usage?.cacheRead),
    count(usage?.output),
    count(contextWindow),
  );
}

// Messages may come from anywhere, and what is no text must not get into the module as one.
function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
