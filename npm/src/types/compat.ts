import type { ModelCostRates } from "./model.js";

/** Where the value of a chat template argument comes from. */
export type ChatTemplateValue =
  | string
  | number
  | boolean
  | null
  | { $var: "thinking.budget" | "thinking.effort" | "thinking.enabled"; omitWhenOff?: boolean | undefined };

/**
 * How an endpoint differs from the protocol it speaks. Flags that are not set are guessed from the host; unknown
 * hosts get the cautious choice. Which flags matter depends on the protocol.
 */
export interface ModelCompat {
  /** `false`: the endpoint takes no schema for the answer, so `responseSchema` is asked for by way of a tool. */
  supportsResponseSchema?: boolean | undefined;
  // OpenAI chat completions and its many dialects.
  supportsStore?: boolean | undefined;
  /** The system prompt of reasoning models goes out with the role `developer`. */
  supportsDeveloperRole?: boolean | undefined;
  supportsReasoningEffort?: boolean | undefined;
  supportsUsageInStreaming?: boolean | undefined;
  /** `false`: the endpoint never says why it stopped, so an answer may end without a finish reason. */
  supportsFinishReason?: boolean | undefined;
  maxTokensField?: "max_completion_tokens" | "max_tokens" | undefined;
  requiresToolResultName?: boolean | undefined;
  requiresAssistantAfterToolResult?: boolean | undefined;
  requiresNonNullAssistantContent?: boolean | undefined;
  requiresToolsWithToolHistory?: boolean | undefined;
  requiresThinkingAsText?: boolean | undefined;
  requiresReasoningContentOnAssistantMessages?: boolean | undefined;
  thinkingFormat?:
    | "ant-ling"
    | "baseten"
    | "chat-template"
    | "deepseek"
    | "openai"
    | "openrouter"
    | "qwen"
    | "qwen-chat-template"
    | "string-thinking"
    | "together"
    | "zai"
    | undefined;
  chatTemplateKwargs?: Record<string, ChatTemplateValue> | undefined;
  chatTemplateArgs?: Record<string, ChatTemplateValue> | undefined;
  /** OpenRouter's `provider` object, sent as it is. */
  openRouterRouting?: object | undefined;
  /** The gateway's `order` and `only` lists. */
  vercelGatewayRouting?: { only?: string[] | undefined; order?: string[] | undefined } | undefined;
  zaiToolStream?: boolean | undefined;
  thinkingTokenBudgetField?:
    | "thinking_budget"
    | "thinking_budget_tokens"
    | "thinking_token_budget"
    | undefined;
  supportsThinkingTokenBudget?: boolean | undefined;
  supportsOpenAIGrammarTools?: boolean | undefined;
  supportsMidConvoToolAdditions?: boolean | undefined;
  cacheControlFormat?: "anthropic" | undefined;
  vllmPriority?: number | undefined;

  // OpenAI responses.
  supportsAdditionalTools?: boolean | undefined;
  supportsToolSearch?: boolean | undefined;
  supportsExplicitPromptCacheMode?: boolean | undefined;
  supportsMaxOutputTokens?: boolean | undefined;

  // Anthropic messages.
  supportsEagerToolInputStreaming?: boolean | undefined;
  supportsCacheControlOnTools?: boolean | undefined;
  supportsTemperature?: boolean | undefined;
  forceAdaptiveThinking?: boolean | undefined;
  allowEmptySignature?: boolean | undefined;
  supportsStrictTools?: boolean | undefined;
  supportsMidConvoToolChanges?: boolean | undefined;
  supportsMessageThreads?: boolean | undefined;
  allowedFallbackModels?:
    | {
        provider: string;
        model: string;
        cost: ModelCostRates & {
          tiers?: (ModelCostRates & { inputTokensAbove: number })[] | undefined;
        };
      }[]
    | undefined;

  // More than one protocol.
  supportsMidConvoSystemMessages?: boolean | undefined;
  supportsMidConvoEffort?: boolean | undefined;
  supportsStrictMode?: boolean | undefined;
  supportsLongCacheRetention?: boolean | undefined;
  sendSessionAffinityHeaders?: boolean | undefined;
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter" | undefined;
  promptCacheKeyMode?: "auto" | "disabled" | "enabled" | undefined;
}
