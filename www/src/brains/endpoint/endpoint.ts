import { type Model, streamSimple } from "steersman";
import { getTime } from "../../tools/get-time.js";
import { saveFile } from "../../tools/save-file.js";
import { setColor } from "../../tools/set-color.js";
import type { Brain } from "../brain.js";
import type { EndpointSettings } from "./settings.js";

const noKey = "none";

/** Any server that speaks OpenAI's chat completions, called from the page by the package's own wire. */
export class Endpoint implements Brain {
  readonly id = "endpoint";
  readonly name = "Your endpoint";
  readonly about =
    "Any OpenAI-compatible server: a provider with your key, or one on your own machine. The page calls it directly.";
  readonly tools = [getTime, setColor, saveFile];
  readonly examples = [
    "What time is it, and can you make the page teal?",
    "Save a haiku about steering to haiku.txt",
  ];
  readonly stream = streamSimple;
  model: Model | undefined;
  /**
   * In memory only; the agent asks for it at each request, see `getApiKey` in chat.ts. Servers that want no key get a word
   * in its place, because a request without one is refused before it is sent.
   */
  key = noKey;

  forgetKey(): void {
    this.key = noKey;
  }

  configure({ baseUrl, model, key }: EndpointSettings): void {
    this.key = key || noKey;
    this.model = {
      id: model,
      name: model,
      api: "openai-completions",
      provider: this.id,
      baseUrl,
      reasoning: false,
      input: ["text"],
      // Unknown prices: the page shows tokens, not money.
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 8_192,
    };
  }
}
