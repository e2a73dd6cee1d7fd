import type { AssistantMessageEvent, AssistantMessageEventStreamLike, RequestRetryEvent } from "../types.js";

/** Key of the fast way to consume a response of this package; see {@link PumpedStream}. */
export const PUMP: unique symbol = Symbol("steersman.pump");

/** What happens in a response of this package. */
export type ResponseEvent = AssistantMessageEvent | RequestRetryEvent;

/** Called for each event, in order. `undefined`: go on at once; anything else is awaited before the next event. */
export type EventSink = (event: ResponseEvent) => PromiseLike<unknown> | undefined;

/**
 * A response that calls its one consumer instead of being pulled: no iterator result and no task switch per delta. What
 * the sink throws, or what it returned rejects with, ends the response (the request is aborted) and rejects the pump; it
 * is never taken for a fault of the transport.
 */
export interface PumpedStream extends AssistantMessageEventStreamLike {
  [PUMP](sink: EventSink): Promise<void>;
}

/** Whether it is an event that a part of the answer comes with. */
export function isUpdate(event: ResponseEvent): event is Extract<ResponseEvent, { contentIndex: number }> {
  return /^(text|thinking|toolcall)_(start|delta|end)$/.test(event.type);
}

/** Whether a response can be pumped. */
export function isPumped(response: AssistantMessageEventStreamLike): response is PumpedStream {
  return PUMP in response;
}
