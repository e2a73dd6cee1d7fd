import type { Hook, MaybePromise } from "./json.js";
import type { AssistantMessage, Message, ToolCall } from "./messages.js";
import type {
  CacheRetention,
  ClientIdentity,
  Model,
  ReasoningLevel,
  SamplingParams,
  ThinkingBudgets,
  Transport,
} from "./model.js";
import type { Tool } from "./tools.js";

/**
 * One step of a response as it comes in.
 *
 * `partial` is the response so far, one object that keeps growing. `done` or `error` comes last and carries the final
 * message.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "text_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "thinking_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "toolcall_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "done"; reason: "stop" | "length" | "toolUse" | "deferred"; message: AssistantMessage }
  | { type: "error"; reason: "aborted" | "error"; error: AssistantMessage };

/**
 * Iterates over events: `for await (const event of events)`. Leaving the loop ends it.
 *
 * It is what `AsyncIterableIterator` is, whose parameters depend on the version of TypeScript.
 */
export interface AsyncEvents<T> extends AsyncIterator<T, undefined> {
  [Symbol.asyncIterator](): AsyncEvents<T>;
}

/** A response in progress: iterate over its events, or wait for the final message. */
export interface AssistantMessageEventStreamLike extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/**
 * A request failed in a way that may pass by itself and is about to be repeated. Comes only with `maxRetries` above 0,
 * before the first content, once per wait. Listeners of an agent and of a low-level run get it; iterating over a response
 * leaves it out, so that {@link AssistantMessageEvent} stays closed.
 */
export interface RequestRetryEvent {
  type: "request_retry";
  /** Which repetition it will be, from 1. */
  attempt: number;
  maxRetries: number;
  /** How long it waits first, in milliseconds. */
  delayMs: number;
  /** What the failed request said. */
  reason: string;
}

/** A model to ask when the one before it cannot answer. */
export interface FallbackModel {
  model: Model;
  /** Default: that of the request when the provider is the same, else what `getApiKey` gives for the provider. */
  apiKey?: string | undefined;
}

/** What a request is made of. `systemPrompt` and `tools` stand for a leading system message. */
export interface Context {
  systemPrompt?: string | undefined;
  messages: Message[];
  tools?: Tool[] | undefined;
}

/** Status and headers of a response, before its body is read. */
export interface ProviderResponse {
  status: number;
  headers: Record<string, string>;
}

/** Options of one model request. */
export interface StreamOptions {
  signal?: AbortSignal | undefined;
  /** A span of the application's tracing, for stream functions that know it. The built-in ones do not use it. */
  telemetry?: unknown;
  apiKey?: string | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Settings by name that some providers read, such as a region. */
  env?: Record<string, string> | undefined;
  /** Sees the request body before it is sent; what it returns, unless undefined, is sent in its place. */
  onPayload?: Hook<(payload: unknown, model: Model) => unknown> | undefined;
  /** Called when the response headers are there, before the body is read. */
  onResponse?: Hook<(response: ProviderResponse, model: Model) => MaybePromise<void>> | undefined;
  /** Sees each event of the provider before it is interpreted. Read only; its promise is not waited for. */
  onProviderStreamEvent?: Hook<(data: unknown, model: Model) => MaybePromise<void>> | undefined;
  /** Headers to add. `null` removes a header that would be sent by default. */
  headers?: Record<string, string | null> | undefined;
  identity?: ClientIdentity | undefined;
  /** Longest time for the request, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Retries before the first content arrives. Default 0. */
  maxRetries?: number | undefined;
  /** A provider that asks for a longer wait than this many milliseconds makes the request fail. Default 60000. */
  maxRetryDelayMs?: number | undefined;
  /**
   * Models to ask in turn when a request still fails after its repetitions, in a way that may pass by itself (network,
   * rate limit, overload, server error) and before any content. `message.model` is the one that answered,
   * `message.diagnostics` names those that did not (type `fallback`).
   */
  fallbackModels?: readonly (Model | FallbackModel)[] | undefined;
  /**
   * The form that the answer must have: a JSON Schema, or a Standard Schema that can give one. The provider is told in its
   * own way; the answer is checked when it is complete, and what it says is `message.structured`. An answer that does not
   * fit ends in an error (code `protocol`). Answers that call tools are not concerned.
   */
  responseSchema?: object | undefined;
  temperature?: number | undefined;
  samplingParams?: SamplingParams | undefined;
  maxTokens?: number | undefined;
  transport?: Transport | undefined;
  /** Default `short`. */
  cacheRetention?: CacheRetention | undefined;
  sessionId?: string | undefined;
  disableContinuation?: boolean | undefined;
  websocketConnectTimeoutMs?: number | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** The same for every provider: what the loop passes to a {@link StreamFn}. */
export interface SimpleStreamOptions extends StreamOptions {
  toolChoice?: "auto" | "none" | undefined;
  /** Missing: no thinking. */
  reasoning?: ReasoningLevel | undefined;
  deferred?: boolean | { window?: "15m" | "1h" | "24h" } | undefined;
  thinkingBudgets?: ThinkingBudgets | undefined;
}

/**
 * Answers one model request. A failure belongs into the stream: an `error` event with a message whose `stopReason` is
 * `error` or `aborted`. What it throws or rejects with ends the run.
 *
 * In the 1.6.0 profile the context has `messages` only: prompt and tools are in the system messages.
 */
export type StreamFn = Hook<
  (
    model: Model,
    context: Context,
    options?: SimpleStreamOptions,
  ) => MaybePromise<AssistantMessageEventStreamLike>
>;
