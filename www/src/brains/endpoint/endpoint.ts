import { type Model, streamSimple } from "steersman";
import { getTime } from "../../tools/get-time.js";
import { saveFile } from "../../tools/save-file.js";
import { setColor } from "../../tools/set-color.js";
import type { Brain } from "../brain.js";
import { modelOf, providerOf } from "./providers.js";
import type { EndpointSettings } from "./settings.js";

const noKey = "none";

/** A hosted or local server, called from the page by the package's own wires. */
export class Endpoint implements Brain {
  readonly id = "endpoint";
  readonly name = "Your endpoint";
  readonly about = "A provider with your key, or a server on your own machine. The page calls it directly.";
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

  async configure({ provider, baseUrl, model, key }: EndpointSettings): Promise<void> {
    const known = await modelOf(providerOf(provider), model, baseUrl);
    this.key = key || noKey;
    // The page finds the brain, and its key, by the provider of a model.
    this.model = { ...known, provider: this.id };
  }
}
