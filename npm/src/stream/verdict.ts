/** What a finished message says about trying again. */
import type { AssistantMessage } from "../types.js";
import type { WireExports } from "./wasm.js";

/** The verdicts over the exports of the wasm module, which must be loaded. */
export interface Verdicts {
  /** Whether asking the same again may help. Check {@link isContextOverflow} first. */
  isRetryable(message: AssistantMessage): boolean;
  /**
   * Whether the input was too long for the model.
   *
   * @param contextWindow tokens, where known: some providers cut the input silently and only the counts show it
   */
  isContextOverflow(message: AssistantMessage, contextWindow?: number): boolean;
}

/** Makes the verdicts of the module's exports. */
export function wasmVerdicts(exports: () => WireExports): Verdicts {
  return {
    isRetryable: ({ stopReason, errorMessage }) =>
      exports().messageIsRetryable(text(stopReason), text(errorMessage)),
    isContextOverflow: ({ stopReason, errorMessage, provider, usage }, contextWindow) =>
      exports().messageIsOverflow(
        text(stopReason),
        text(errorMessage),
        text(provider),
        count(usage?.input),
        count(usage?.cacheRead),
        count(usage?.output),
        count(contextWindow),
      ),
  };
}

// Messages may come from anywhere, and what is no text must not get into the module as one.
function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
