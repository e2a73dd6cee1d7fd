/** `streamProxy`: the response comes from a server of the application, which holds the keys and asks the provider. */
import type { Context, Model, SimpleStreamOptions, StopReason, ToolCall, Usage } from "../types.js";
import type { EngineSource, WireRequest } from "./engine.js";
import { Exchange } from "./exchange.js";
import { encode, transcriptToJson, withBareImages } from "./payload.js";
import type { PumpedStream } from "./pump.js";
import { ResponseStream } from "./stream.js";

/** The options that travel to the server; they are meant for the provider. */
const SENT = [
  "temperature",
  "samplingParams",
  "maxTokens",
  "reasoning",
  "cacheRetention",
  "sessionId",
  "disableContinuation",
  "headers",
  "metadata",
  "transport",
  "thinkingBudgets",
  "maxRetryDelayMs",
] as const satisfies readonly (keyof SimpleStreamOptions)[];

/** Options of a response through a server of the application. */
export interface ProxyStreamOptions extends Pick<SimpleStreamOptions, (typeof SENT)[number]> {
  /** Aborts the request to the server. */
  signal?: AbortSignal | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Sent to the server as a bearer token. */
  authToken: string;
  /** Address of the server; the path `/api/stream` is added. */
  proxyUrl: string;
}

/** What the server sends: the events of the answer without `partial`, which is put together here. */
export type ProxyAssistantMessageEvent =
  | { type: "start" }
  | { type: "text_start"; contentIndex: number }
  | { type: "text_delta"; contentIndex: number; delta: string }
  | { type: "text_end"; contentIndex: number; contentSignature?: string }
  | { type: "thinking_start"; contentIndex: number }
  | { type: "thinking_delta"; contentIndex: number; delta: string }
  | { type: "thinking_end"; contentIndex: number; contentSignature?: string }
  | { type: "toolcall_start"; contentIndex: number; id: string; toolName: string }
  | { type: "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall }
  | {
      type: "done";
      reason: Extract<StopReason, "stop" | "length" | "toolUse">;
      usage: Usage;
      providerThinkingLevel?: string;
    }
  | {
      type: "error";
      reason: Extract<StopReason, "aborted" | "error">;
      errorMessage?: string;
      usage: Usage;
      providerThinkingLevel?: string;
    };

/** Asks a model for one answer through a server of the application. */
export type StreamProxy = (model: Model, context: Context, options: ProxyStreamOptions) => PumpedStream;

/** Makes a `streamProxy` that gets its engine from `source`, in the first call that needs it. */
export function createStreamProxy(source: EngineSource): StreamProxy {
  return (model, context, options) => {
    const { signal, fetch } = options;
    const build = () => proxyRequest(model, context, options);
    return new ResponseStream(new Exchange(source, model, build, { signal, fetch }));
  };
}

/** Model and context go as they are given. */
function proxyRequest(model: Model, context: Context, options: ProxyStreamOptions): WireRequest {
  const { authToken, proxyUrl } = options;
  const sent: { [name: string]: unknown } = {};
  for (const name of SENT) if (options[name] !== undefined) sent[name] = options[name];
  return {
    url: `${proxyUrl.replace(/\/+$/, "")}/api/stream`,
    headers: [
      ["authorization", `Bearer ${authToken}`],
      ["content-type", "application/json"],
    ],
    body: encode(
      transcriptToJson(context, withBareImages, (told) => ({
        model,
        context: told,
        options: sent,
      })),
    ),
    reply: JSON.stringify({ api: "pi-proxy", secrets: [authToken] }),
  };
}
