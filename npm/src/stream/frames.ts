/** `coalesce: "frame"`: what comes in between two frames is delivered together, neighbouring deltas as one. */
import { after } from "../clock.js";
import { isThenable } from "../engine/describe.js";
import { AgentError } from "../errors.js";
import { LinkedAbort } from "../limits/within.js";
import type { AssistantMessage, AssistantMessageEventStreamLike, StreamFn } from "../types.js";
import { type EventSink, isPumped, PUMP, type PumpedStream, type ResponseEvent } from "./pump.js";

/** Time between deliveries where nothing is painted, in milliseconds. */
const FRAME = 16;
/** Frames do not come, although the page says that it is visible: in a covered iframe. In milliseconds. */
const NO_FRAME = 100;

/** @throws AgentError `invalid_request` */
export function checkCoalesce(coalesce: unknown): void {
  if (coalesce === undefined || coalesce === "frame") return;
  throw new AgentError("invalid_request", `coalesce must be "frame", not ${String(coalesce)}`);
}

/** The stream function with its updates delivered by frame; itself where nobody asks for that. */
export function withFrames(streamFn: StreamFn, coalesce: unknown): StreamFn {
  checkCoalesce(coalesce);
  if (coalesce === undefined) return streamFn;
  return async (model, context, options) => {
    // Its own, because what a listener throws in a frame ends a request of which nothing may come any more.
    const request = new LinkedAbort(options?.signal);
    try {
      return framed(await streamFn(model, context, { ...options, signal: request.signal }), request);
    } catch (thrown) {
      request.release();
      throw thrown;
    }
  };
}

function framed(response: AssistantMessageEventStreamLike, request: LinkedAbort): PumpedStream {
  return {
    [Symbol.asyncIterator]: () => response[Symbol.asyncIterator](),
    result: (): Promise<AssistantMessage> => response.result(),
    [PUMP]: (sink) =>
      new Promise((resolve, reject) => {
        const frames = new Frames(sink, (thrown) => {
          request.release();
          request.abort(thrown);
          reject(thrown);
        });
        read(response, (event) => frames.take(event))
          .finally(() => frames.flush())
          .then(
            () => {
              request.release();
              resolve();
            },
            (thrown: unknown) => frames.fail(thrown),
          );
      }),
  };
}

async function read(response: AssistantMessageEventStreamLike, sink: EventSink): Promise<void> {
  if (isPumped(response)) return response[PUMP](sink);
  for await (const event of response) {
    await sink(event);
    if (event.type === "done" || event.type === "error") break;
  }
}

/** Events on their way from a response to its consumer. */
class Frames {
  #waiting: ResponseEvent[] = [];
  /** Calls off the frame that is awaited. */
  #frame: (() => void) | undefined;
  /** Deliveries follow each other; the last one, and how many are not over. */
  #last = Promise.resolve();
  #busy = 0;
  #failure: { readonly thrown: unknown } | undefined;
  readonly #sink: EventSink;
  readonly #failed: (thrown: unknown) => void;

  constructor(sink: EventSink, failed: (thrown: unknown) => void) {
    this.#sink = sink;
    this.#failed = failed;
  }

  /** The response waits while the consumer is at work, so that a slow consumer slows it down. */
  take(event: ResponseEvent): PromiseLike<unknown> | undefined {
    if (this.#failure) throw this.#failure.thrown;
    // A copy, because it may grow.
    if (!joined(this.#waiting.at(-1), event)) this.#waiting.push({ ...event });
    if (!("contentIndex" in event)) return this.flush();
    if (this.#busy > 0) return this.#last;
    this.#schedule();
    return undefined;
  }

  /** Delivers everything that has come so far. */
  flush(): Promise<void> {
    this.#frame?.();
    this.#frame = undefined;
    this.#busy += 1;
    this.#last = this.#last.then(() => this.#deliver());
    return this.#last;
  }

  fail(thrown: unknown): void {
    if (this.#failure) return;
    this.#failure = { thrown };
    this.#frame?.();
    this.#failed(thrown);
  }

  #schedule(): void {
    this.#frame ??= nextFrame(() => {
      // What it rejects with has been told by `fail`.
      this.flush().catch(() => {});
    });
  }

  async #deliver(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    try {
      for (const event of events) {
        const waiting = this.#sink(event);
        if (isThenable(waiting)) await waiting;
      }
    } catch (thrown) {
      this.fail(thrown);
      throw thrown;
    }
    this.#busy -= 1;
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/** Lets `last` grow by a delta that goes on where it ends; whether it does. */
function joined(last: ResponseEvent | undefined, next: ResponseEvent): boolean {
  if (!last || !("delta" in last && "delta" in next)) return false;
  if (last.type !== next.type || last.contentIndex !== next.contentIndex) return false;
  last.delta += next.delta;
  last.partial = next.partial;
  return true;
}

/** @returns calls it off */
function nextFrame(act: () => void): () => void {
  const { document, requestAnimationFrame, cancelAnimationFrame } = globalThis as Partial<typeof globalThis>;
  // A hidden page gets no frames.
  if (document?.visibilityState !== "visible" || !requestAnimationFrame) return after(FRAME, act);
  const frame = requestAnimationFrame(() => {
    giveUp();
    act();
  });
  const giveUp = after(NO_FRAME, () => {
    cancelAnimationFrame?.(frame);
    act();
  });
  return () => {
    cancelAnimationFrame?.(frame);
    giveUp();
  };
}
