import type { Wllama } from "@wllama/wllama";
import type { Message, Model, StreamFn, Tool } from "steersman";
import { fromWllama, type WllamaOptions } from "steersman/adapters/wllama";
import { getTime } from "../../tools/get-time.js";
import { setColor } from "../../tools/set-color.js";
import { type Brain, localModel } from "../brain.js";
import { startEngine } from "./engine.js";
import { conversation, shortTools } from "./prompt.js";
import { loadWeights, type WeightsSource } from "./weights.js";

/** A step of getting ready, for a progress bar. `total` is 0 while nobody knows how long it takes. */
export type LoadProgress = (step: string, done: number, total: number) => void;

/** A real language model of 135 million parameters that runs in the page. */
export class SmolLm implements Brain {
  readonly id = "smollm";
  readonly name = "SmolLM2 in this page";
  readonly about =
    "A real model with 135 million parameters, on one thread of this device. It knows short facts and calls simple tools, and it is often wrong.";
  // Every declared tool has to be read before the first answer, so this brain gets two.
  readonly tools = [getTime, setColor];
  readonly examples = ["What time is it?", "Make the page green please", "What is the capital of France?"];
  model: Model | undefined;
  /** Told how much of a prompt has been read: that takes longer than the answer. */
  onRead: (read: number, total: number) => void = () => {};
  private engine: Wllama | undefined;

  readonly stream: StreamFn = fromWllama(() => this.engine, {
    ...asking,
    onRead: (read, total) => this.onRead(read, total),
  });

  /** Loads the weights, starts the engine and lets it read its instructions. */
  async load(source: WeightsSource, onProgress: LoadProgress, signal: AbortSignal): Promise<void> {
    const weights = await loadWeights(
      source,
      (done, total) => onProgress("Loading the weights", done, total),
      signal,
    );
    onProgress("Starting the engine", 0, 0);
    const engine = await startEngine(weights);
    // No window: it is too small to write summaries, and reads the newest messages only (see `conversation`).
    const model = localModel("smollm2-135m-instruct", "SmolLM2 135M", this.id, 0);
    const onRead = (done: number, total: number) => onProgress("Reading its instructions", done, total);
    const read = await ask(engine, model, this.tools, onRead, signal);
    if (read.stopReason === "error" || read.stopReason === "aborted") {
      await engine.exit();
      signal.throwIfAborted();
      throw new Error(read.errorMessage);
    }
    this.engine = engine;
    this.model = model;
  }
}

const asking = {
  maxTokens: 200,
  messages: ({ messages }) => conversation(messages),
  tools: (context) => shortTools(context),
} satisfies WllamaOptions;

/** Has it read the part of the prompt that never changes, so that the first question does not have to wait for it. */
async function ask(
  engine: Wllama,
  model: Model,
  tools: readonly Tool[],
  onRead: (read: number, total: number) => void,
  signal: AbortSignal,
) {
  const messages: Message[] = [{ role: "user", content: "Hi!", timestamp: 0 }];
  const stream = fromWllama(engine, { ...asking, onRead });
  const response = await stream(model, { messages, tools: [...tools] }, { maxTokens: 1, signal });
  return response.result();
}
