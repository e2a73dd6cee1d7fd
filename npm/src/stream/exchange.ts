/**
 * One response in progress: the attempts to get it on one side, the live message on the other. Consumers take events as
 * long as there are any and wait for more when there are none; nothing is read ahead of them.
 */
import { AgentError, type AgentErrorCode, EngineCrashError } from "../errors.js";
import { describe, isThenable } from "../engine/describe.js";
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Model,
  SimpleStreamOptions,
} from "../types.js";
import { Attempt, HookError } from "./attempt.js";
import {
  type EngineSource,
  errorText,
  failsBeforeContent,
  type WireBatch,
  type WireEngine,
  WireRefusal,
  type WireRequest,
} from "./engine.js";
import { ABORTED, LiveMessage } from "./live.js";
import { Pace } from "./pace.js";
import { encodeInput, reviewBody } from "./payload.js";
import { delayBefore, mayRepeat } from "./retry.js";

export class Exchange {
  readonly pace = new Pace();
  /** The final message; never rejects. */
  readonly result: Promise<AssistantMessage>;
  readonly #live: LiveMessage;
  readonly #model: Model;
  readonly #context: Context;
  readonly #options: SimpleStreamOptions;
  readonly #source: EngineSource;
  #resolve!: (message: AssistantMessage) => void;
  #engine: WireEngine | undefined;
  #request: WireRequest | undefined;
  #body: Uint8Array<ArrayBuffer> | undefined;
  #attempt: Attempt | undefined;
  /** Repetitions so far, and the wait before the next one in milliseconds. */
  #repeats = 0;
  #delay = 0;
  #waiting: Promise<void> | undefined;
  /** Ends {@link more} at once. */
  #wake: (() => void) | undefined;
  /** The event that ends the response before its time, until somebody takes it. */
  #early: AssistantMessageEvent | undefined;
  #aborted = false;
  #over = false;

  constructor(source: EngineSource, model: Model, context: Context, options: SimpleStreamOptions) {
    this.#source = source;
    this.#model = model;
    this.#context = context;
    this.#options = options;
    this.#live = new LiveMessage(model);
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const { signal } = options;
    if (signal?.aborted) this.#aborted = true;
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The last event was taken. */
  get over(): boolean {
    return this.#over;
  }

  /** The next event, if one is there without waiting. */
  take(): AssistantMessageEvent | undefined {
    if (this.#over) return undefined;
    const event = this.#early ?? (this.#aborted ? this.#abort() : this.#live.next());
    if (event !== undefined && this.#live.ended) this.#finish();
    return event;
  }

  /** Wait until there may be more to take. Never rejects. Several callers wait for the same. */
  more(): Promise<void> {
    this.#waiting ??= new Promise<void>((resolve) => {
      this.#wake = resolve;
      void this.#fill().then(resolve);
    }).then(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  /** Nobody wants more: close the connection and end the message as aborted. Harmless twice. */
  stop(): void {
    if (this.#over) return;
    this.#abort();
    this.#finish();
  }

  /** The engine broke down. */
  crash(error: Error): void {
    this.#attempt?.lose();
    this.#attempt = undefined;
    this.#endEarly("engine_crash", error.message);
    this.#wake?.();
  }

  readonly #onAbort = (): void => {
    this.#aborted = true;
    this.#attempt?.close();
    this.#wake?.();
  };

  get #stopped(): boolean {
    return this.#aborted || this.#live.ended;
  }

  async #fill(): Promise<void> {
    try {
      if (this.pace.long()) await this.pace.rest();
      if (this.#delay > 0) await this.#delayed();
      if (this.#stopped) return;
      const attempt = this.#attempt ?? (await this.#begin());
      if (attempt === undefined || this.#stopped) return;
      const batch = await this.pace.waiting(attempt.next());
      if (!this.#stopped) this.#accept(attempt, batch);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The first attempt, or the next one; undefined when it was stopped meanwhile. */
  async #begin(): Promise<Attempt | undefined> {
    const source = this.#engine ?? this.#source();
    const engine = isThenable(source) ? await source : source;
    if (this.#stopped) return undefined;
    if (this.#engine === undefined) engine.track(this);
    this.#engine = engine;
    this.#request ??= engine.request(encodeInput(this.#model, this.#context, this.#options));
    this.#body ??= await this.#reviewed(this.#request.body);
    if (this.#stopped) return undefined;
    this.#attempt = new Attempt(engine, this.#request, this.#body, this.#model, this.#options);
    return this.#attempt;
  }

  async #reviewed(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const { onPayload } = this.#options;
    if (onPayload === undefined) return body;
    try {
      return await reviewBody(body, this.#model, onPayload);
    } catch (error) {
      throw new HookError(error);
    }
  }

  /** Deliver a batch, unless it is the failure of an attempt that is repeated. */
  #accept(attempt: Attempt, batch: WireBatch): void {
    const { maxRetries = 0, maxRetryDelayMs } = this.#options;
    if (this.#repeats >= maxRetries || this.#live.hasContent || !failsBeforeContent(batch)) {
      return this.#live.feed(batch);
    }
    const text = errorText(batch);
    const { status, headers } = attempt;
    const transient = (this.#engine as WireEngine).isRetryable("error", text);
    if (!mayRepeat({ status, headers, transient })) return this.#live.feed(batch);
    const delay = delayBefore(this.#repeats + 1, headers, maxRetryDelayMs);
    if (typeof delay === "string") return this.#endEarly("rate_limited", `${delay} ${text}`);
    this.#delay = delay;
    this.#repeats += 1;
    attempt.close();
    attempt.release();
    this.#attempt = undefined;
  }

  #delayed(): Promise<void> {
    const delay = this.#delay;
    this.#delay = 0;
    return new Promise((resolve) => {
      const wake = this.#wake;
      const timer = setTimeout(resolve, delay);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
        wake?.();
      };
    });
  }

  /** Something threw that is not the network: the request was refused, a hook failed, the engine broke down. */
  #fail(error: unknown): void {
    if (this.#stopped) return;
    const known =
      error instanceof WireRefusal || (error instanceof AgentError && !(error instanceof EngineCrashError));
    this.#endEarly(known ? error.code : "engine_crash", describe(error));
  }

  #abort(): AssistantMessageEvent | undefined {
    try {
      // What the engine knows and has not told yet: counts and ids.
      const rest = this.#attempt?.abort(ABORTED);
      return this.#live.end("aborted", ABORTED, rest);
    } catch {
      // A breakdown of the engine changes nothing for a response that nobody wants.
      return this.#live.end("aborted", ABORTED);
    }
  }

  #endEarly(code: AgentErrorCode, message: string): void {
    this.#early ??= this.#live.end(code, message);
    this.#attempt?.close();
  }

  #finish(): void {
    this.#over = true;
    this.#early = undefined;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    try {
      this.#attempt?.release();
    } catch {
      // As above.
    }
    this.#engine?.untrack(this);
    this.#resolve(this.#live.message);
  }
}
