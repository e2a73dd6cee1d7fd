import type { AssistantMessage } from "steersman";

/** A failure in words that help. */
export interface Explanation {
  title: string;
  advice: string;
}

/** What a failed or stopped answer means for the user, by the error code in its diagnostics. */
export function explain(message: AssistantMessage): Explanation {
  if (message.stopReason === "aborted") {
    return {
      title: "Stopped",
      advice: "What was said until here is kept. Go on talking, or have it answered again.",
    };
  }
  const code = message.diagnostics?.[0]?.code;
  // A connection that is lost in mid-answer is a cut answer, not an endpoint out of reach.
  switch (code === "network" && message.content.length > 0 ? "stream_truncated" : code) {
    case "auth":
      return {
        title: "The endpoint did not accept the key",
        advice: "Check the key under Brain, Your endpoint. It may be for another provider, or have run out.",
      };
    case "rate_limited":
      return {
        title: "Too many requests",
        advice: "The endpoint asks for a break. Wait a moment, then try again.",
      };
    case "overloaded":
      return {
        title: "The endpoint is overloaded",
        advice: "This is not your doing. Try again in a moment.",
      };
    case "network":
      return {
        title: "The endpoint could not be reached",
        advice: "Nothing came back. What may be the matter is listed below.",
      };
    case "protocol":
      return {
        title: "That was not an answer of a chat endpoint",
        advice: "The address is probably not quite right: the base URL usually ends in /v1.",
      };
    case "stream_truncated":
      return {
        title: "The answer was cut off",
        advice:
          "The connection ended before the answer did. What arrived is kept above; trying again replaces it.",
      };
    case "context_overflow":
      return {
        title: "The conversation has become too long for this model",
        advice: "Begin a new conversation, or choose a model with a larger context.",
      };
    case "limit_turns":
    case "limit_tool_calls":
    case "limit_tokens":
      return {
        title: "The run has reached its limit",
        advice:
          "What was done until here is kept. Trying again goes on with a fresh budget; limits can be changed.",
      };
    case "stream_idle":
      return {
        title: "The answer fell silent",
        advice: "Nothing came for longer than the limit allows. Try again, or change the limit.",
      };
    case "invalid_request":
      return {
        title: "The endpoint rejected the request",
        advice: "Check the name of the model, then try again.",
      };
    case "http":
      return {
        title: "The endpoint answered with an error",
        advice: "Its own words are below. Check address and model, then try again.",
      };
    default:
      return {
        title: "The answer failed",
        advice: "Its own words are below. Trying again does not lose anything.",
      };
  }
}
