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
    isRetryable: (message) => exports().messageIsRetryable(message.stopReason, message.errorMessage ?? ""),
    isContextOverflow: ({ stopReason, errorMessage, provider, usage }, contextWindow) =>
      exports().messageIsOverflow(
        stopReason,
        errorMessage ?? "",
        provider,
        usage.input,
        usage.cacheRead,
        usage.output,
        contextWindow ?? 0,
      ),
  };
}
