import { AgentError } from "../errors.js";
import type { Context, Model, SimpleStreamOptions, StreamFn } from "../types.js";
import { type ChatMessage, chatMessages, type ChatTool, chatTools } from "./chat.js";
import { Reply } from "./reply.js";

/** What of a chunk is read here; wllama's `ChatCompletionChunk` has more. */
export interface WllamaChunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly timings?: { readonly prompt_n: number; readonly cache_n: number; readonly predicted_n: number };
  readonly prompt_progress?: { readonly processed: number; readonly total: number };
}

/** What is used of a `Wllama` with a loaded model (`@wllama/wllama` 3.13 or later). */
export interface WllamaLike {
  createChatCompletion(params: never): Promise<unknown>;
}

/** How {@link fromWllama} asks the model. */
export interface WllamaOptions {
  /** Most tokens of one answer when the request does not say. Default 512. */
  maxTokens?: number;
  /** Default 0: small models forget the format of a call at any other. */
  temperature?: number;
  /** The conversation as the model gets it. Default: all of it, see `chatMessages`. */
  messages?: (context: Context) => ChatMessage[];
  /** The tools as the model gets them. Default: with their whole schemas. */
  tools?: (context: Context) => ChatTool[];
  /** How much of the prompt has been read, in tokens: that may take longer than the answer. */
  onRead?: (done: number, total: number) => void;
}

/**
 * Makes a stream function of a model that llama.cpp runs inside the page.
 *
 * @param wllama the engine with a loaded model, or a function that gives it; without one the answer is an error message
 */
export function fromWllama(
  wllama: WllamaLike | (() => WllamaLike | undefined),
  options: WllamaOptions = {},
): StreamFn {
  return (model, context, given = {}) => {
    const reply = new Reply(model);
    void answer(reply, typeof wllama === "function" ? wllama() : wllama, options, model, context, given);
    return reply.stream;
  };
}

async function answer(
  reply: Reply,
  wllama: WllamaLike | undefined,
  options: WllamaOptions,
  model: Model,
  context: Context,
  given: SimpleStreamOptions,
): Promise<void> {
  const { signal } = given;
  try {
    if (!wllama) throw new AgentError("unsupported", "The model is not loaded yet.");
    signal?.throwIfAborted();
    const params = {
      messages: (options.messages ?? chatMessages)(context),
      tools: (options.tools ?? chatTools)(context),
      max_tokens: given.maxTokens ?? options.maxTokens ?? 512,
      temperature: given.temperature ?? options.temperature ?? 0,
      return_progress: true,
      stream: true,
      ...(signal && { abortSignal: signal }),
      onData: (chunk: WllamaChunk) => {
        const { prompt_progress: read } = chunk;
        if (read) options.onRead?.(read.processed, read.total);
        // What the model really sent.
        if (chunk.choices.length > 0) void given.onProviderStreamEvent?.(chunk, model);
        take(reply, chunk);
      },
    };
    await wllama.createChatCompletion(params as never);
    reply.fail(new AgentError("stream_truncated", "The engine stopped in the middle of an answer."));
  } catch (thrown) {
    reply.fail(thrown, signal?.aborted === true);
  }
}

function take(reply: Reply, { choices, timings }: WllamaChunk): void {
  const choice = choices[0];
  if (!choice) return;
  const { delta, finish_reason: reason } = choice;
  if (delta.reasoning_content) reply.thinking(delta.reasoning_content);
  if (delta.content) reply.text(delta.content);
  for (const { id, function: call } of delta.tool_calls ?? []) {
    if (call?.name) reply.call(id || crypto.randomUUID(), call.name);
    if (call?.arguments) reply.callArguments(call.arguments);
  }
  if (!reason) return;
  const tokens = timings && {
    input: timings.prompt_n,
    cacheRead: timings.cache_n,
    output: timings.predicted_n,
  };
  reply.finish(tokens, reason === "length");
}
