import { isPumped, PUMP, type PumpedStream } from "../stream/pump.js";
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStreamLike } from "../types.js";

/** The event that ends a failed response. */
export function failed(error: AssistantMessage): AssistantMessageEvent {
  return { type: "error", reason: error.stopReason === "aborted" ? "aborted" : "error", error };
}

/** A response that has failed already. */
export function finished(message: AssistantMessage): AssistantMessageEventStreamLike {
  return {
    async *[Symbol.asyncIterator]() {
      yield failed(message);
    },
    result: () => Promise.resolve(message),
  };
}

/** The same response; `seen` gets its final message before anybody else. */
export function withResult(
  response: AssistantMessageEventStreamLike,
  seen: (message: AssistantMessage) => void,
): AssistantMessageEventStreamLike {
  const wrapped: AssistantMessageEventStreamLike = {
    [Symbol.asyncIterator]: () => response[Symbol.asyncIterator](),
    async result() {
      const message = await response.result();
      seen(message);
      return message;
    },
  };
  if (!isPumped(response)) return wrapped;
  const pumped: PumpedStream = Object.assign(wrapped, {
    [PUMP]: (sink: Parameters<PumpedStream[typeof PUMP]>[0]) => response[PUMP](sink),
  });
  return pumped;
}
