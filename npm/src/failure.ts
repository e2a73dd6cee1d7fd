import { describe } from "./engine/describe.js";
import { AgentError, isThrown } from "./errors.js";
import type { AgentEvent, AgentMessage, AssistantMessage, CustomMessage, Model } from "./types.js";
import { emptyUsage } from "./usage.js";

/** The message that stands in the transcript for a run that failed outside of a response. Total, whatever was thrown. */
export function failureMessage(
  model: Model | undefined,
  thrown: unknown,
  aborted: boolean,
): AssistantMessage {
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    ...originOf(model),
    usage: emptyUsage(),
    stopReason: aborted ? "aborted" : "error",
    errorMessage: describe(thrown),
    timestamp: Date.now(),
  };
  const error = ofOurs(thrown);
  if (error) {
    const { code } = error;
    message.diagnostics = [{ type: "error", timestamp: message.timestamp, code, error }];
  }
  return message;
}

/** Name, text and code of an error of this package. */
function ofOurs(thrown: unknown): Pick<AgentError, "name" | "message" | "code"> | undefined {
  if (!isThrown(thrown, AgentError)) return undefined;
  try {
    const { name, message, code } = thrown;
    return { name, message, code };
  } catch {
    return undefined;
  }
}

/** The model may be what threw. */
function originOf(model: Model | undefined): Pick<AssistantMessage, "api" | "provider" | "model"> {
  const unknown = { api: "unknown", provider: "unknown", model: "unknown" };
  try {
    const { api, provider, id } = model ?? {};
    return {
      api: api ?? unknown.api,
      provider: provider ?? unknown.provider,
      model: id ?? unknown.model,
    };
  } catch {
    return unknown;
  }
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
