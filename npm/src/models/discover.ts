import { AgentError } from "../errors.js";
import { isRedirect, NOT_FOLLOWED, redirected } from "../stream/redirect.js";
import { parse, unreachable } from "../stream/unreachable.js";
import type { Model } from "../types.js";

/** How a server is asked for its models. */
export interface DiscoverOptions {
  /** Sent as a bearer token. */
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The `provider` of the models. Default: the host of the address. */
  provider?: string | undefined;
}

/** Names under which servers tell the context window: OpenRouter, vLLM, LM Studio, llama.cpp, Groq, Mistral, LiteLLM. */
const WINDOW = [
  "context_length",
  "max_model_len",
  "loaded_context_length",
  "max_context_length",
  "context_window",
  "n_ctx",
  "n_ctx_train",
  "max_input_tokens",
];
const ANSWER = ["max_completion_tokens", "max_output_tokens"];

/**
 * The models that an OpenAI-compatible server offers, by its `GET baseUrl/models` (Ollama, llama.cpp, LM Studio, vLLM,
 * LiteLLM, gateways). What the server does not tell is 0 (context window, output limit, prices) or the cautious choice.
 * Models that only make embeddings are left out where the server says so.
 *
 * @param baseUrl with the version, for example `http://localhost:11434/v1`
 * @throws AgentError `network` when there is no answer, `auth` or `http` for a status that is no success, `protocol`
 * for an answer that is no list of models, `invalid_request` for an address that is none or a redirect, `aborted`
 */
export async function discoverModels(baseUrl: string, options: DiscoverOptions = {}): Promise<Model[]> {
  const base = baseUrl.replace(/\/+$/, "");
  const url = `${base}/models`;
  // `localhost:11434` would be a scheme.
  if (!url.includes("://") || !parse(url)) {
    throw new AgentError(
      "invalid_request",
      `"${baseUrl}" is no address: expected something like http://host/v1`,
    );
  }
  const list = modelsIn(await ask(url, options));
  if (!list) throw new AgentError("protocol", `${url} brought something else than a list of models`);
  const provider = options.provider ?? new URL(url).host;
  return list.filter(isChat).map((entry) => modelOf(entry, base, provider));
}

async function ask(url: string, options: DiscoverOptions): Promise<unknown> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.apiKey) headers["authorization"] = `Bearer ${options.apiKey}`;
  Object.assign(headers, options.headers);
  const init: RequestInit = { headers, redirect: NOT_FOLLOWED };
  if (options.signal) init.signal = options.signal;
  let response: Response;
  let text: string;
  try {
    response = await (options.fetch ?? fetch)(url, init);
    text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw new AgentError("aborted", "Request was aborted", { cause: error });
    throw new AgentError("network", unreachable(url, error), { cause: error });
  }
  if (isRedirect(response)) throw redirected(url);
  if (!response.ok) {
    const code = response.status === 401 || response.status === 403 ? "auth" : "http";
    throw new AgentError(code, `${response.status} from ${url}: ${text.slice(0, 300)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AgentError("protocol", `${url} brought no JSON: ${text.slice(0, 100)}`, { cause: error });
  }
}

type Entry = Record<string, unknown> & { id: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `{ data: [...] }`, the list itself, or `{ models: [...] }` with names (Ollama's own form). */
function modelsIn(answer: unknown): Entry[] | undefined {
  const list = isObject(answer) ? (answer["data"] ?? answer["models"]) : answer;
  if (!Array.isArray(list)) return undefined;
  return list.filter(isObject).flatMap((entry) => {
    const id = entry["id"] ?? entry["model"] ?? entry["name"];
    return typeof id === "string" && id !== "" ? [{ ...entry, id }] : [];
  });
}

const isChat = ({ type }: Entry): boolean => type !== "embedding" && type !== "embeddings";

/** The first of these members that is a positive number, in the entry or one level below it. */
function numberOf(entry: Entry, names: readonly string[]): number {
  const places = [entry, ...Object.values(entry).filter(isObject)];
  for (const place of places) {
    for (const name of names) {
      const value = place[name];
      if (typeof value === "number" && value > 0) return value;
    }
  }
  return 0;
}

function modelOf(entry: Entry, baseUrl: string, provider: string): Model {
  const said = JSON.stringify([
    entry["capabilities"],
    entry["architecture"],
    entry["type"],
    entry["supported_parameters"],
  ]);
  return {
    id: entry.id,
    name: typeof entry["name"] === "string" ? entry["name"] : entry.id,
    api: "openai-completions",
    provider,
    baseUrl,
    type: "chat",
    reasoning: /"(reasoning|thinking)"/.test(said),
    input: /"(image|vision|vlm|multimodal)"/.test(said) ? ["text", "image"] : ["text"],
    cost: pricesOf(entry),
    contextWindow: numberOf(entry, WINDOW),
    maxTokens: numberOf(entry, ANSWER),
  };
}

/** OpenRouter and gateways tell prices as texts, in dollars per token. */
function pricesOf({ pricing }: Entry): Model["cost"] {
  const of = (name: string): number => {
    const price = isObject(pricing) ? Number(pricing[name]) : 0;
    return price > 0 ? Number((price * 1e6).toPrecision(12)) : 0;
  };
  return {
    input: of("prompt"),
    output: of("completion"),
    cacheRead: of("input_cache_read"),
    cacheWrite: of("input_cache_write"),
  };
}
