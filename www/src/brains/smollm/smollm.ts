import type { ChatCompletionChunk } from "@wllama/wllama";
import { getCurrentTools, type Model, type SimpleStreamOptions, type StreamFn } from "steersman";
import { getTime } from "../../tools/get-time.js";
import { setColor } from "../../tools/set-color.js";
import { type Brain, localModel } from "../brain.js";
import { Reply } from "../reply.js";
import { contextSize, Engine, type ReadProgress, report } from "./engine.js";
import { chatMessages, chatTool } from "./prompt.js";
import { loadWeights, type WeightsSource } from "./weights.js";

/** A step of getting ready, for a progress bar. `total` is 0 while nobody knows how long it takes. */
export type LoadProgress = (step: string, done: number, total: number) => void;

const maxTokens = 200;

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
  onRead: ReadProgress = () => {};
  private engine: Engine | undefined;

  /** Loads the weights, starts the engine and lets it read its instructions. */
  async load(source: WeightsSource, onProgress: LoadProgress, signal: AbortSignal): Promise<void> {
    const weights = await loadWeights(
      source,
      (done, total) => onProgress("Loading the weights", done, total),
      signal,
    );
    onProgress("Starting the engine", 0, 0);
    const engine = await Engine.start(weights);
    try {
      const onRead = (done: number, total: number) => onProgress("Reading its instructions", done, total);
      await engine.readPreamble(this.tools.map(chatTool), onRead, signal);
    } catch (error) {
      await engine.stop();
      throw error;
    }
    this.engine = engine;
    this.model = localModel("smollm2-135m-instruct", "SmolLM2 135M", this.id, contextSize);
  }

  readonly stream: StreamFn = (model, context, options) => {
    const reply = new Reply(model);
    const tools = getCurrentTools(context.messages).map(chatTool);
    const answer = this.engine?.answer(
      chatMessages(context.messages),
      tools,
      options?.maxTokens ?? maxTokens,
      options?.signal,
      new ChunkReader(reply, this.onRead, model, options).read,
    );
    if (!answer) reply.fail("error", "The model is not loaded yet.");
    answer?.then(
      () => reply.fail("error", "The engine stopped in the middle of an answer."),
      (error: unknown) => fail(reply, error, options?.signal),
    );
    return reply.stream;
  };
}

/** Turns the engine's chunks, which look like those of OpenAI's chat completions, into an answer. */
class ChunkReader {
  constructor(
    private readonly reply: Reply,
    private readonly onRead: ReadProgress,
    private readonly model: Model,
    private readonly options: SimpleStreamOptions | undefined,
  ) {}

  readonly read = (chunk: ChatCompletionChunk): void => {
    report(chunk, this.onRead);
    const choice = chunk.choices[0];
    if (!choice) return;
    // What the model really sent, for the event panel.
    void this.options?.onProviderStreamEvent?.(chunk, this.model);
    if (choice.delta.content) this.reply.text(choice.delta.content);
    for (const { id, function: call } of choice.delta.tool_calls ?? []) {
      if (call?.name) this.reply.call(id ?? crypto.randomUUID(), call.name);
      if (call?.arguments) this.reply.callArguments(call.arguments);
    }
    if (choice.finish_reason) {
      const { timings } = chunk;
      const tokens = timings && {
        input: timings.prompt_n,
        cacheRead: timings.cache_n,
        output: timings.predicted_n,
      };
      this.reply.finish(tokens, choice.finish_reason === "length");
    }
  };
}

function fail(reply: Reply, error: unknown, signal: AbortSignal | undefined): void {
  if (signal?.aborted) reply.fail("aborted", "Stopped by the user");
  else reply.fail("error", `The engine failed: ${error instanceof Error ? error.message : String(error)}`);
}
