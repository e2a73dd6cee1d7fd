import type { Api, Model } from "steersman";

/** A service to choose from. */
export interface Provider {
  /** As in the package's catalogue; others are not in it. */
  readonly id: string;
  readonly name: string;
  readonly api: Api;
  readonly baseUrl: string;
  /** Whether the catalogue knows its models; otherwise the server is asked for them. */
  readonly inCatalogue: boolean;
}

const openAiLike = (id: string, name: string, baseUrl: string, inCatalogue: boolean): Provider => ({
  id,
  name,
  api: "openai-completions",
  baseUrl,
  inCatalogue,
});

/** Where the address is the user's own. */
export const custom: Provider = openAiLike("custom", "Another OpenAI-compatible server", "", false);

/** Services that a page can call directly; docs/providers.md of the package says what that rests on. */
export const providers: readonly Provider[] = [
  custom,
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    inCatalogue: true,
  },
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    inCatalogue: true,
  },
  {
    id: "google",
    name: "Google Gemini",
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    inCatalogue: true,
  },
  {
    id: "mistral",
    name: "Mistral",
    api: "mistral-conversations",
    baseUrl: "https://api.mistral.ai",
    inCatalogue: true,
  },
  openAiLike("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", true),
  openAiLike("groq", "Groq", "https://api.groq.com/openai/v1", true),
  openAiLike("deepseek", "DeepSeek", "https://api.deepseek.com", true),
  openAiLike("ollama", "Ollama on this computer", "http://localhost:11434/v1", false),
  openAiLike("lmstudio", "LM Studio on this computer", "http://localhost:1234/v1", false),
  openAiLike("llamacpp", "llama.cpp on this computer", "http://localhost:8080/v1", false),
];

export const providerOf = (id: string): Provider =>
  providers.find((provider) => provider.id === id) ?? custom;

/** The catalogue is loaded when it is first needed: the page starts without it. */
const catalogue = () => import("steersman/models");

/**
 * Names of models to choose from.
 *
 * @throws Error with the reason when a server was asked and did not answer
 */
export async function modelNames(provider: Provider, baseUrl: string, key: string): Promise<string[]> {
  const { discoverModels, getModels } = await catalogue();
  const models = provider.inCatalogue
    ? getModels(provider.id)
    : await discoverModels(baseUrl, key ? { apiKey: key } : {});
  return models.filter(({ api }) => api === provider.api).map(({ id }) => id);
}

/** What is known about a model; without an entry in the catalogue the cautious choice. */
export async function modelOf(provider: Provider, id: string, baseUrl: string): Promise<Model> {
  const known = provider.inCatalogue ? (await catalogue()).getModel(provider.id, id) : undefined;
  const usual: Model = {
    id,
    name: id,
    api: provider.api,
    provider: provider.id,
    baseUrl,
    reasoning: false,
    input: ["text"],
    // Unknown prices: the page shows tokens, not money.
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8_192,
  };
  return known?.api === provider.api ? { ...known, baseUrl } : usual;
}
