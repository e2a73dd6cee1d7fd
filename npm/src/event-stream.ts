import { Channel } from "./channel.js";
import { AgentError } from "./errors.js";
import type { AssistantMessage, AssistantMessageEvent, AsyncEvents } from "./types.js";

/**
 * Events to iterate over, and a result to wait for. Iterating and waiting are independent of each other, and neither
 * slows down the producer.
 *
 * Iterators share the events: each event goes to one of them. A stream that nobody reads keeps its events.
 */
export class EventStream<T, R = T> implements AsyncIterable<T> {
  private readonly _channel = new Channel<T>();
  private readonly _isComplete: (event: T) => boolean;
  private readonly _extractResult: (event: T) => R;
  private readonly _finalResult: Promise<R>;
  private _settle!: { resolve(result: R): void; reject(error: unknown): void };

  /**
   * @param isComplete whether an event is the last one
   * @param extractResult the result, taken from that event
   */
  constructor(isComplete: (event: T) => boolean, extractResult: (event: T) => R) {
    this._isComplete = isComplete;
    this._extractResult = extractResult;
    this._finalResult = new Promise((resolve, reject) => {
      this._settle = { resolve, reject };
    });
    // Who does not ask for the result shall not get an unhandled rejection.
    this._finalResult.catch(() => {});
  }

  /** Whether the stream is complete: no more events will be accepted. */
  protected get done(): boolean {
    return this._channel.closed;
  }

  /** Adds an event. After the last one, events are ignored. */
  push(event: T): void {
    if (this._channel.closed) return;
    const last = this._isComplete(event);
    if (last) this._settle.resolve(this._extractResult(event));
    this._channel.push(event);
    if (last) this._channel.close();
  }

  /**
   * Ends the stream. Without a result, and without a complete event before, `result()` rejects: there will be none.
   */
  end(result?: R): void {
    this._channel.close();
    if (result !== undefined) this._settle.resolve(result);
    else this._settle.reject(new AgentError("stream_truncated", "The stream ended without a result"));
  }

  /** Ends the stream with an error: `result()` rejects with it, and so does an iterator once it has seen all events. */
  fail(error: unknown): void {
    this._channel.fail(error);
    this._settle.reject(error);
  }

  [Symbol.asyncIterator](): AsyncEvents<T> {
    return this._channel.iterate();
  }

  /** The result, once it is there. */
  result(): Promise<R> {
    return this._finalResult;
  }
}

/**
 * The response of one model request, for stream functions. `done` or `error` completes it. The final message gets
 * `durationMs`, unless it has one or its `timestamp` is older than the stream.
 */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  private readonly _madeAt = Date.now();
  private readonly _start = performance.now();

  constructor() {
    super(
      (event) => event.type === "done" || event.type === "error",
      (event) => {
        if (event.type === "done") return event.message;
        if (event.type === "error") return event.error;
        throw new AgentError("protocol", `A response cannot end with the event ${event.type}`);
      },
    );
  }

  override push(event: AssistantMessageEvent): void {
    if (event.type === "done") this._time(event.message);
    else if (event.type === "error") this._time(event.error);
    super.push(event);
  }

  override end(result?: AssistantMessage): void {
    if (result !== undefined) this._time(result);
    super.end(result);
  }

  private _time(message: AssistantMessage): void {
    if (this.done || message.durationMs !== undefined || message.timestamp < this._madeAt) return;
    message.durationMs = Math.max(0, Math.round(performance.now() - this._start));
  }
}

/** A new, empty response stream. */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}
