import type { ModelCompat } from "./compat.js";

/** A wire protocol that the package speaks by itself. */
export type KnownApi =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai"
  | "mistral-conversations"
  | "pi-messages";

/** A wire protocol. Other names are possible when the stream function knows them. */
export type Api = KnownApi | (string & {});

/** How much the model may think. `xhigh` and `max` exist for some model families only. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** The same levels without `off`: what a request asks for. */
export type ReasoningLevel = Exclude<ThinkingLevel, "off">;

/** What a level is called at the provider. `null`: the model does not have this level; missing: the default. */
export type ThinkingLevelMap = { [Level in ThinkingLevel]?: string | null | undefined };

/** Thinking token budgets by level, in tokens, for providers that count thinking in tokens. */
export interface ThinkingBudgets {
  minimal?: number;
  low?: number;
  medium?: number;
  high?: number;
}

/** How a response should travel. A provider without a choice ignores it; browsers use `sse`. */
export type Transport = "sse" | "websocket" | "websocket-cached" | "auto";

/** How long the provider should keep the prompt cache. */
export type CacheRetention = "none" | "short" | "long";

/** What a model reads. */
export type ModelInputModality = "text" | "image";

/** Prices in US dollars per million tokens. */
export interface ModelCostRates {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** The price of a model. `tiers` replace the rates for requests with more than `inputTokensAbove` input tokens. */
export interface ModelCost extends ModelCostRates {
  tiers?: (ModelCostRates & { inputTokensAbove: number })[] | undefined;
}

/** Limits of what one request may carry. Sizes are bytes. */
export interface ModelInputLimits {
  maxRequestBytes?: number | undefined;
  images?:
    | {
        resize?:
          | {
              maxWidth?: number | undefined;
              maxHeight?: number | undefined;
              maxBytes?: number | undefined;
              jpegQuality?: number | undefined;
            }
          | undefined;
        maxPerMessage?: number | undefined;
        maxPerRequest?: number | undefined;
      }
    | undefined;
}

/** Sampling parameters that go into the request body as they are. */
export type SamplingParams = Record<string, unknown>;

/** A chat model: where it is served, which protocol it speaks, what it can and what it costs. */
export interface Model<TApi extends Api = Api> {
  /** The name the provider knows it by. */
  id: string;
  /** The name to show. */
  name: string;
  /** The wire protocol. */
  api: TApi;
  /** The provider's id. `getApiKey` is asked with it. */
  provider: string;
  /** The endpoint without the path of the protocol, for example `https://host/v1`. */
  baseUrl: string;
  /** Models without a type are chat models. */
  type?: "chat";
  /** Whether the model can think. */
  reasoning: boolean;
  thinkingLevelMap?: ThinkingLevelMap;
  input: ModelInputModality[];
  inputLimits?: ModelInputLimits;
  cost: ModelCost;
  /** Tokens that input and output may have together. */
  contextWindow: number;
  /** Most tokens of one answer. */
  maxTokens: number;
  /** How long the provider keeps the prompt cache, in seconds. */
  promptCache?: { short?: number | undefined; long?: number | undefined };
  /** Headers of every request to this model. */
  headers?: Record<string, string>;
  samplingParams?: SamplingParams;
  samplingParamsByThinkingLevel?: { [Level in ThinkingLevel]?: SamplingParams };
  /** Ways in which the endpoint differs from the protocol. What is not set is guessed from `baseUrl`. */
  compat?: ModelCompat;
}

/** Whom requests are attributed to, for providers that rank or bill by application. */
export interface ClientAttribution {
  name: string;
  url?: string;
  categories?: string[];
}

/** How requests identify the application. Every field is optional; plain JSON. */
export interface ClientIdentity {
  /** `short`, `detailed`, or a text of your own. Browsers do not let a page set this header. */
  userAgent?: "short" | "detailed" | { custom: string };
  /** `null` turns off an attribution that would be merged in. */
  attribution?: ClientAttribution | null;
  version?: string;
}
