import { isThenable } from "../engine/describe.js";
import { AgentError } from "../errors.js";
import { failureMessage } from "../failure.js";
import { isPumped, isUpdate, PUMP, type PumpedStream, type ResponseEvent } from "../stream/pump.js";
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStreamLike,
  Model,
  StreamFn,
} from "../types.js";
import { failed, finished } from "./response.js";
import { Silence } from "./silence.js";
import { LinkedAbort, within } from "./within.js";

type Step = IteratorResult<AssistantMessageEvent, unknown>;

/** Ends responses that fall silent, also of a stream function that does not react to its signal. */
export function withIdleLimit(streamFn: StreamFn, idleMs: number): StreamFn {
  return async (model, context, options) => {
    const watch = new Watch(model, idleMs, options?.signal);
    try {
      const asked = streamFn(model, context, { ...options, signal: watch.signal });
      const response = await watch.unlessSilent(Promise.resolve(asked));
      return watch.isSilent
        ? finished(watch.failure())
        : watched(response as AssistantMessageEventStreamLike, watch);
    } catch (thrown) {
      watch.stop();
      throw thrown;
    }
  };
}

/** One response under watch. */
class Watch {
  readonly signal: AbortSignal;
  /** It was silent for too long. */
  isSilent = false;
  /** The message that ends it then. */
  #message: AssistantMessage | undefined;
  #partial: AssistantMessage | undefined;
  #fresh = true;
  readonly #model: Model;
  readonly #idleMs: number;
  readonly #runSignal: AbortSignal | undefined;
  readonly #request: LinkedAbort;
  readonly #silence: Silence;
  readonly #interrupts = new Set<() => void>();

  constructor(model: Model, idleMs: number, runSignal: AbortSignal | undefined) {
    this.#model = model;
    this.#idleMs = idleMs;
    this.#runSignal = runSignal;
    this.#request = new LinkedAbort(runSignal);
    this.signal = this.#request.signal;
    this.#silence = new Silence(idleMs, () => this.#interrupt());
  }

  /** What a promise gives; undefined when it takes too long, see {@link isSilent}. A failure ends the watch. */
  unlessSilent<T>(promise: PromiseLike<T>): Promise<T | undefined> {
    if (this.isSilent) return Promise.resolve(undefined);
    this.#silence.waiting(this.#fresh);
    return new Promise((resolve, reject) => {
      const interrupt = () => resolve(undefined);
      this.#interrupts.add(interrupt);
      Promise.resolve(promise)
        .finally(() => this.#interrupts.delete(interrupt))
        .then(resolve, (thrown: unknown) => {
          this.stop();
          reject(thrown);
        });
    });
  }

  /** An event is about to be handed over. */
  heard(event: ResponseEvent): void {
    this.#silence.heard();
    this.#fresh = carriesSomething(event);
    if ("partial" in event) this.#partial = event.partial;
  }

  /** What a response that was given up still says: how much it has used. */
  lastWord(event: ResponseEvent): void {
    if (event.type !== "error") return;
    const { diagnostics: _, ...message } = event.error;
    this.#partial = message;
  }

  /** It has been handed over. */
  handedOver(): void {
    this.#silence.waiting(this.#fresh);
  }

  stop(): void {
    this.#silence.stop();
    this.#request.release();
  }

  failure(): AssistantMessage {
    this.#message ??= this.#makeFailure();
    return this.#message;
  }

  #interrupt(): void {
    this.isSilent = true;
    this.#request.release();
    this.#request.abort(this.#reason());
    for (const interrupt of this.#interrupts) interrupt();
  }

  #reason(): AgentError {
    const idleMs = this.#idleMs;
    return new AgentError(
      "stream_idle",
      `The response timed out: nothing came for ${idleMs} ms (limits.idleMs)`,
    );
  }

  /** What has come so far, as it is now: a stream that goes on for itself does not change it any more. */
  #makeFailure(): AssistantMessage {
    const aborted = this.#runSignal?.aborted === true;
    const error = aborted ? new AgentError("aborted", "Request was aborted") : this.#reason();
    const failure = failureMessage(this.#model, error, aborted);
    const partial = this.#partial;
    if (!partial) return failure;
    const diagnostics = [...(failure.diagnostics ?? []), ...(partial.diagnostics ?? [])];
    const { stopReason, errorMessage = "" } = failure;
    return { ...partial, content: copied(partial.content), stopReason, errorMessage, diagnostics };
  }
}

function carriesSomething(event: ResponseEvent): boolean {
  if ("delta" in event && event.delta === "") return false;
  return isUpdate(event) || ["start", "done", "error"].includes(event.type);
}

function copied(content: AssistantMessage["content"]): AssistantMessage["content"] {
  try {
    return structuredClone(content);
  } catch {
    return content.map((block) => ({ ...block }));
  }
}

function watched(response: AssistantMessageEventStreamLike, watch: Watch): AssistantMessageEventStreamLike {
  const stream: AssistantMessageEventStreamLike = {
    [Symbol.asyncIterator]: () => iterator(response[Symbol.asyncIterator](), watch),
    async result() {
      watch.handedOver();
      const message = await watch.unlessSilent(response.result());
      watch.stop();
      return watch.isSilent ? watch.failure() : (message as AssistantMessage);
    },
  };
  if (!isPumped(response)) return stream;
  return Object.assign(stream, {
    [PUMP]: (sink: Sink) => pump(response, sink, watch),
  }) satisfies PumpedStream;
}

function iterator(
  inner: AsyncIterator<AssistantMessageEvent, unknown>,
  watch: Watch,
): AsyncIterator<AssistantMessageEvent, unknown> {
  let over = false;
  return {
    async next(): Promise<Step> {
      if (over) return { done: true, value: undefined };
      const step = await watch.unlessSilent(inner.next());
      if (watch.isSilent) {
        over = true;
        leave(inner);
        return { done: false, value: failed(watch.failure()) };
      }
      if (step && !step.done) watch.heard(step.value);
      return step as Step;
    },
    async return(): Promise<Step> {
      if (!over) leave(inner);
      watch.stop();
      return { done: true, value: undefined };
    },
  };
}

/** Without waiting: a stream that is silent may never answer. */
function leave(inner: AsyncIterator<AssistantMessageEvent, unknown>): void {
  new Promise((done) => done(inner.return?.())).catch(() => {});
}

type Sink = Parameters<PumpedStream[typeof PUMP]>[0];

async function pump(response: PumpedStream, sink: Sink, watch: Watch): Promise<void> {
  const pumping = response[PUMP]((event) => {
    if (watch.isSilent) {
      watch.lastWord(event);
      return undefined;
    }
    watch.heard(event);
    const waiting = sink(event);
    if (isThenable(waiting)) return waiting.then(() => watch.handedOver());
    watch.handedOver();
    return undefined;
  });
  await watch.unlessSilent(pumping);
  if (!watch.isSilent) return;
  // Our own responses end at once when their signal fires. Whatever keeps one from it does not keep the run.
  await within(() => pumping, { ms: 0, late: () => new Error() }).catch(() => {});
  await sink(failed(watch.failure()));
}
