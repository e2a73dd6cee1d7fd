import { describe } from "./engine/describe.js";
import { AgentError, isThrown } from "./errors.js";
import type { AgentEvent, AgentMessage, AssistantMessage, CustomMessage, Model } from "./types.js";
import { emptyUsage } from "./usage.js";

/** The message that stands in the transcript for a run that failed outside of a response. */
export function failureMessage(
  model: Model | undefined,
  thrown: unknown,
  aborted: boolean,
): AssistantMessage {
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    api: model?.api ?? "unknown",
    provider: model?.provider ?? "unknown",
    model: model?.id ?? "unknown",
    usage: emptyUsage(),
    stopReason: aborted ? "aborted" : "error",
    errorMessage: describe(thrown),
    timestamp: Date.now(),
  };
  if (isThrown(thrown, AgentError)) {
    const { code, name, message: text } = thrown;
    message.diagnostics = [
      { type: "error", timestamp: message.timestamp, code, error: { name, message: text, code } },
    ];
  }
  return message;
}

/**
 * The events that close a failed run.
 *
 * @param messages what `agent_end` lists
 */
export function failureEvents<TCustom extends CustomMessage>(
  message: AssistantMessage,
  messages: AgentMessage<TCustom>[],
): AgentEvent<TCustom>[] {
  return [
    { type: "message_start", message },
    { type: "message_end", message },
    { type: "turn_end", message, toolResults: [] },
    { type: "agent_end", messages },
  ];
}
