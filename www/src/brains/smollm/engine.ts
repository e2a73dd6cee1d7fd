import type { Wllama } from "@wllama/wllama";
import wasmUrl from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { chatTemplate } from "./prompt.js";

/** Tokens that prompt and answer may have together. */
const contextSize = 4096;

/**
 * Starts llama.cpp in wasm, on one thread of a worker of its own. The worker is made from a blob, so a page with a content
 * security policy needs `worker-src blob:` and `script-src 'wasm-unsafe-eval'`.
 *
 * @param model the weights
 * @throws Error when the browser lacks what the engine needs
 */
export async function startEngine(model: Blob): Promise<Wllama> {
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
  return wllama;
}
