import type { ChatCompletionChunk, ChatCompletionParams, Wllama } from "@wllama/wllama";
import wasmUrl from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { type ChatMessage, type ChatTool, chatTemplate, preamble } from "./prompt.js";

/** How much of the prompt the engine has read. */
export type ReadProgress = (read: number, total: number) => void;

/** Tokens that prompt and answer may have together. */
export const contextSize = 4096;

/**
 * llama.cpp in wasm, on one thread of a worker of its own. The worker is made from a blob, so a page with a content
 * security policy needs `worker-src blob:` and `script-src 'wasm-unsafe-eval'`.
 */
export class Engine {
  private constructor(private readonly wllama: Wllama) {}

  /**
   * @param model the weights
   * @throws Error when the browser lacks what the engine needs
   */
  static async start(model: Blob): Promise<Engine> {
    // Loaded on demand: the page starts without it.
    const { Wllama } = await import("@wllama/wllama");
    const quiet = { debug: () => {}, log: () => {}, warn: console.warn, error: console.error };
    const wllama = new Wllama({ default: wasmUrl }, { suppressNativeLog: true, logger: quiet });
    // Without this, browsers that lack a feature would run code from a third party's server.
    wllama.setCompat(null);
    try {
      await wllama.loadModel([model], {
        n_ctx: contextSize,
        // Small batches, so that Stop and the progress bar do not have to wait for the whole prompt.
        n_batch: 32,
        n_ubatch: 32,
        n_parallel: 1,
        // More threads would need cross-origin isolation.
        n_threads: 1,
        n_gpu_layers: 0,
        chat_template: chatTemplate,
        jinja: true,
        warmup: false,
      });
    } catch (error) {
      await wllama.exit().catch(() => {});
      throw new Error(
        `The engine did not start in this browser: ${error instanceof Error ? error.message : error}`,
      );
    }
    return new Engine(wllama);
  }

  /** Reads the part of the prompt that never changes, so that the first question does not have to wait for it. */
  async readPreamble(tools: ChatTool[], onRead: ReadProgress, signal: AbortSignal): Promise<void> {
    const question: ChatMessage = { role: "user", content: "Hi!" };
    await this.complete([...preamble, question], tools, { max_tokens: 1, abortSignal: signal }, (chunk) => {
      report(chunk, onRead);
    });
  }

  /** Streams one answer. Rejects with an `AbortError` when the signal fires. */
  answer(
    messages: ChatMessage[],
    tools: ChatTool[],
    maxTokens: number,
    signal: AbortSignal | undefined,
    onChunk: (chunk: ChatCompletionChunk) => void,
  ): Promise<void> {
    return this.complete(
      messages,
      tools,
      { max_tokens: maxTokens, ...(signal && { abortSignal: signal }) },
      onChunk,
    );
  }

  /** Ends the worker and frees its memory. */
  async stop(): Promise<void> {
    await this.wllama.exit();
  }

  private complete(
    messages: ChatMessage[],
    tools: ChatTool[],
    options: Pick<ChatCompletionParams, "max_tokens" | "abortSignal">,
    onData: (chunk: ChatCompletionChunk) => void,
  ): Promise<void> {
    return this.wllama.createChatCompletion({
      messages,
      tools,
      // At any other temperature a model of this size forgets the format of a call.
      temperature: 0,
      return_progress: true,
      stream: true,
      ...options,
      onData,
    });
  }
}

/** Passes on how much of the prompt has been read, if a chunk tells. */
export function report(chunk: ChatCompletionChunk, onRead: ReadProgress): void {
  if (chunk.prompt_progress) onRead(chunk.prompt_progress.processed, chunk.prompt_progress.total);
}
