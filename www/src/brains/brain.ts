import type { AgentTool, Model, StreamFn } from "steersman";

/** Something that answers the agent's model requests, with what the page needs to offer it. */
export interface Brain {
  /** Also the provider of its model, so that the agent's one stream function finds the brain of a request. */
  readonly id: string;
  readonly name: string;
  /** One honest sentence: what it is and where it runs. */
  readonly about: string;
  /** Set once the brain can answer. */
  readonly model: Model | undefined;
  /** The tools it is offered. */
  readonly tools: readonly AgentTool[];
  /** Prompts to begin with. */
  readonly examples: readonly string[];
  readonly stream: StreamFn;
}

/** A model that costs nothing and has no address: what brains inside the page are for the agent. */
export function localModel(id: string, name: string, provider: string, contextWindow: number): Model {
  return {
    id,
    name,
    api: provider,
    provider,
    baseUrl: "",
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow,
    maxTokens: 1024,
  };
}
