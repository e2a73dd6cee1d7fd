/** The models that a request may go to: the one asked for, and those to fall back to. */
import { AgentError, type AgentErrorCode } from "../errors.js";
import { withoutKeys } from "./payload.js";
import type { AssistantMessageDiagnostic, FallbackModel, Model, SimpleStreamOptions } from "../types.js";

/** Options of a run travel to the stream function as a whole, so the key of another provider can be asked for. */
type WithKeys = SimpleStreamOptions & {
  getApiKey?: ((provider: string) => Promise<string | undefined> | string | undefined) | undefined;
};

export class Candidates {
  /** The one whose turn it is. */
  model: Model;
  readonly #first: Model;
  readonly #options: WithKeys;
  readonly #rest: FallbackModel[];
  /** Explicit key of the current one. */
  #key: string | undefined;
  readonly #failures: AssistantMessageDiagnostic[] = [];

  constructor(model: Model, options: SimpleStreamOptions) {
    this.model = model;
    this.#first = model;
    this.#options = options;
    const fallbacks: readonly unknown[] = options.fallbackModels ?? [];
    // The catalogue gives undefined for a model that it does not have.
    if (
      !Array.isArray(fallbacks) ||
      !fallbacks.every((entry) => typeof entry === "object" && entry !== null)
    ) {
      throw new AgentError("invalid_request", "fallbackModels must be a list of models, without undefined");
    }
    this.#rest = fallbacks.map((entry) => ("model" in entry ? entry : { model: entry }));
  }

  get hasNext(): boolean {
    return this.#rest.length > 0;
  }

  /** Turns to the next one and notes why. There must be one. */
  advance(code: AgentErrorCode, message: string): void {
    const next = this.#rest.shift() as FallbackModel;
    const { provider, id } = this.model;
    this.#failures.push({
      type: "fallback",
      timestamp: Date.now(),
      code,
      error: { message, code },
      details: { provider, model: id },
    });
    this.model = next.model;
    this.#key = next.apiKey;
  }

  /** The options for the current one: with the key of its provider, and without headers meant for another. */
  options(): SimpleStreamOptions | Promise<SimpleStreamOptions> {
    const options = this.#options;
    if (this.model === this.#first) return options;
    const { provider } = this.model;
    const same = provider === this.#first.provider;
    const apiKey = this.#key ?? (same ? options.apiKey : undefined);
    const headers = same ? options.headers : withoutKeys(options.headers);
    if (apiKey !== undefined) return { ...options, headers, apiKey };
    return (async () => ({ ...options, headers, apiKey: await options.getApiKey?.(provider) }))();
  }

  /** What a finished message carries about those that failed. */
  diagnostics(own: AssistantMessageDiagnostic[] | undefined): AssistantMessageDiagnostic[] | undefined {
    return this.#failures.length === 0 ? own : [...(own ?? []), ...this.#failures];
  }
}
