import type { AssistantMessage, Model } from "./types.js";
import { emptyUsage } from "./usage.js";

/** An answer before anything of it has come. */
export function pendingAnswer(model: Model): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "pending",
    timestamp: Date.now(),
  };
}
