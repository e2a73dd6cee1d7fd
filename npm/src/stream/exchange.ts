/**
 * One response in progress: the attempts to get it on one side, the live message on the other. Consumers take events as
 * long as there are any and wait for more when there are none; nothing is read ahead of them.
 */
import { AgentError, type AgentErrorCode, EngineCrashError } from "../errors.js";
import { describe, isThenable } from "../engine/describe.js";
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  RequestRetryEvent,
  SimpleStreamOptions,
} from "../types.js";
import { Attempt, HookError, type Receiver } from "./attempt.js";
import { Candidates } from "./candidates.js";
import {
  codeOf,
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
import { reviewBody } from "./payload.js";
import { jsonSchemaOf } from "../schema.js";
import { whenAborted } from "../limits/within.js";
import type { ResponseEvent } from "./pump.js";
import { delayBefore, mayRepeat } from "./retry.js";

/** Makes the request to a model. What it throws ends the response. */
export type BuildRequest = (engine: WireEngine, model: Model, options: SimpleStreamOptions) => WireRequest;

export class Exchange {
  readonly pace = new Pace();
  /** The final message; never rejects. */
  readonly result: Promise<AssistantMessage>;
  readonly #live: LiveMessage;
  readonly #candidates: Candidates;
  readonly #build: BuildRequest;
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
  /** Tells of that wait. */
  #notice: RequestRetryEvent | undefined;
  /** Ends {@link more}. */
  #wake: (() => void) | undefined;
  /** Ends the wait before a repetition. */
  #cancelDelay: (() => void) | undefined;
  /** The event that ends the response before its time, until somebody takes it. */
  #early: AssistantMessageEvent | undefined;
  #aborted = false;
  /** Looks at the signal no longer. */
  readonly #release: () => void;
  #over = false;

  /** @param build makes the request, once per model; what it throws ends the response */
  constructor(source: EngineSource, model: Model, build: BuildRequest, options: SimpleStreamOptions) {
    this.#source = source;
    this.#candidates = new Candidates(model, options);
    this.#build = build;
    this.#options = options;
    this.#live = new LiveMessage(model);
    this.#live.onProviderEvent = this.#onProviderEvent;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#release = whenAborted(options.signal, () => {
      this.#aborted = true;
      this.#attempt?.close();
      this.#cancelDelay?.();
      this.#ready();
    });
  }

  /** The last event was taken. */
  get over(): boolean {
    return this.#over;
  }

  /** The next event, if one is there without waiting. */
  take(): ResponseEvent | undefined {
    if (this.#over) return undefined;
    if (this.#notice !== undefined && !this.#stopped) return this.#noticed();
    let event = this.#early ?? (this.#aborted ? this.#abort() : this.#live.next()) ?? this.#early;
    if (event?.type === "done") event = this.#structured(event);
    if (event !== undefined && this.#live.ended) this.#finish();
    return event;
  }

  /** Wait until there may be more to take. Never rejects. Several callers wait for the same. */
  more(): Promise<void> {
    if (this.#waiting === undefined) {
      this.#waiting = new Promise((resolve) => {
        this.#wake = resolve;
      });
      this.#fill();
    }
    return this.#waiting;
  }

  /** Nobody wants more: close the connection and end the message as aborted. Harmless twice. */
  stop(): void {
    if (this.#over) return;
    this.#abort();
    this.#finish();
    this.#ready();
  }

  /** The engine broke down. */
  crash(error: Error): void {
    this.#attempt?.lose();
    this.#attempt = undefined;
    this.#endEarly("engine_crash", error.message);
    this.#ready();
  }

  readonly #receiver: Receiver = {
    take: (batch, attempt) => {
      this.pace.go();
      // An abort and a breakdown have woken the consumer themselves.
      if (this.#stopped || attempt !== this.#attempt) return;
      this.#accept(batch, attempt);
      this.#ready();
    },
    broke: (error) => {
      this.#fail(error);
      this.#ready();
    },
  };

  /** Shows an event to the caller. What the hook throws, or rejects with later, ends the response. */
  readonly #onProviderEvent = (data: string): void => {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // A mark like `[DONE]`, or broken; the wire says what is wrong with it.
      return;
    }
    try {
      const done = this.#options.onProviderStreamEvent?.(event, this.#candidates.model);
      if (isThenable(done)) {
        done.then(undefined, (error: unknown) => {
          this.#fail(new HookError(error));
          this.#ready();
        });
      }
    } catch (error) {
      this.#fail(new HookError(error));
    }
  };

  get #stopped(): boolean {
    return this.#aborted || this.#live.ended;
  }

  /** There may be something to take now. */
  #ready(): void {
    this.#waiting = undefined;
    this.#wake?.();
  }

  /** Get more, and say when it is there. */
  #fill(): void {
    const rest = this.pace.wait();
    const attempt = this.#attempt;
    if (rest || attempt?.response === undefined) void this.#prepare(rest);
    else attempt.read();
  }

  /** What comes before a piece can be read: a rest, the wait before a repetition, a request. */
  async #prepare(rest: boolean): Promise<void> {
    try {
      if (rest) await this.pace.rest();
      if (this.#delay > 0) await this.#delayed();
      if (!this.#stopped && this.#attempt === undefined) await this.#begin();
      const attempt = this.#attempt;
      if (!this.#stopped && attempt !== undefined && attempt.response === undefined) {
        const batch = await attempt.send();
        this.pace.go();
        if (!this.#stopped) this.#accept(batch, attempt);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#ready();
  }

  /** The first attempt, or the next one; none when it was stopped meanwhile. */
  async #begin(): Promise<void> {
    const source = this.#engine ?? this.#source();
    const engine = isThenable(source) ? await source : source;
    if (this.#stopped) return;
    if (this.#engine === undefined) engine.track(this);
    this.#engine = engine;
    const { model } = this.#candidates;
    if (this.#request === undefined) {
      const options = this.#candidates.options();
      const settled = isThenable(options) ? await options : options;
      if (this.#stopped) return;
      this.#request = this.#build(engine, model, settled);
    }
    if (this.#body === undefined) {
      const body = this.#reviewed(this.#request.body);
      // Without a hook the request is on its way before the caller has its stream.
      this.#body = isThenable(body) ? await body : body;
    }
    if (this.#stopped) return;
    this.#attempt = new Attempt(engine, this.#request, this.#body, model, this.#options, this.#receiver);
  }

  #reviewed(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    const { onPayload } = this.#options;
    if (onPayload === undefined) return body;
    return reviewBody(body, this.#candidates.model, onPayload).catch((error: unknown) => {
      throw new HookError(error);
    });
  }

  /** Deliver a batch, unless it is the failure of an attempt that is followed by another. */
  #accept(batch: WireBatch, attempt: Attempt): void {
    const { maxRetries = 0, maxRetryDelayMs } = this.#options;
    const repeats = this.#repeats < maxRetries;
    if (!(repeats || this.#candidates.hasNext) || this.#live.hasContent || !failsBeforeContent(batch)) {
      return this.#live.feed(batch);
    }
    const reason = errorText(batch);
    const { status, headers } = attempt.response ?? {};
    const transient = (this.#engine as WireEngine).isRetryable("error", reason);
    if (!mayRepeat({ status, headers, transient })) return this.#live.feed(batch);
    const delayMs = repeats ? delayBefore(this.#repeats + 1, headers, maxRetryDelayMs, reason) : 0;
    if (repeats && typeof delayMs === "number") {
      this.#repeats += 1;
      this.#delay = delayMs;
      this.#notice = { type: "request_retry", attempt: this.#repeats, maxRetries, delayMs, reason };
    } else if (this.#candidates.hasNext) {
      this.#candidates.advance(codeOf(batch), reason);
      this.#live.become(this.#candidates.model);
      this.#repeats = 0;
      this.#request = undefined;
      this.#body = undefined;
    } else return this.#endEarly("rate_limited", `${delayMs} ${reason}`);
    attempt.close();
    attempt.release();
    this.#attempt = undefined;
  }

  /** The last event, with what the answer says when a form was asked for. */
  #structured(event: AssistantMessageEvent & { type: "done" }): AssistantMessageEvent {
    const { responseSchema } = this.#options;
    const { message, reason } = event;
    if (responseSchema === undefined || reason !== "stop") return event;
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    try {
      message.structured = (this.#engine as WireEngine).structured(jsonSchemaOf(responseSchema), text);
      return event;
    } catch (error) {
      const code = error instanceof WireRefusal ? error.code : "engine_crash";
      return this.#live.reject(code, describe(error));
    }
  }

  #noticed(): RequestRetryEvent | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  #delayed(): Promise<void> {
    const delay = this.#delay;
    this.#delay = 0;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#cancelDelay = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Something threw that is not the network: the request was refused, a hook failed, the engine broke down. */
  #fail(error: unknown): void {
    if (this.#stopped) return;
    const known =
      error instanceof WireRefusal || (error instanceof AgentError && !(error instanceof EngineCrashError));
    const said = describe(error);
    if (known) this.#endEarly(error.code, this.#withoutKeys(error.code, said));
    else this.#endEarly("engine_crash", said);
  }

  /** The words of a failure that the engine has not seen, without the keys of the request. */
  #withoutKeys(code: AgentErrorCode, said: string): string {
    const engine = this.#engine;
    if (engine === undefined || this.#request === undefined) return said;
    try {
      const id = engine.open(this.#request.reply);
      const words = errorText(engine.fail(id, code, said));
      engine.close(id);
      return words;
    } catch {
      return "It failed, and so did looking for keys in the words of the failure.";
    }
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
    this.#release();
    try {
      this.#attempt?.release();
    } catch {
      // As above.
    }
    this.#engine?.untrack(this);
    const { message } = this.#live;
    const diagnostics = this.#candidates.diagnostics(message.diagnostics);
    if (diagnostics !== undefined) message.diagnostics = diagnostics;
    this.#resolve(message);
  }
}
