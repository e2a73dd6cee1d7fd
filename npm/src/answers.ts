import type { AssistantMessage } from "./types.js";

/** The role of a message. Undefined for what is none, or cannot be read: applications put anything into a transcript. */
export function roleOf(message: { readonly role: string } | undefined): string | undefined {
  try {
    return message?.role;
  } catch {
    return undefined;
  }
}

/** Whether a message is an answer of the model. */
export function isAnswer(message: { readonly role: string }): message is AssistantMessage {
  return roleOf(message) === "assistant";
}

/** Whether an answer ends its run. */
export function hasFailed(answer: AssistantMessage): boolean {
  return answer.stopReason === "error" || answer.stopReason === "aborted";
}
