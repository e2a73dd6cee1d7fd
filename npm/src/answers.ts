import type { AssistantMessage } from "./types.js";

/** Whether a message is an answer of the model. */
export function isAnswer(message: { readonly role: string }): message is AssistantMessage {
  return message.role === "assistant";
}

/** Whether an answer ends its run. */
export function hasFailed(answer: AssistantMessage): boolean {
  return answer.stopReason === "error" || answer.stopReason === "aborted";
}
