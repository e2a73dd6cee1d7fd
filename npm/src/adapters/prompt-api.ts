import { AgentError } from "../errors.js";
import type { Context, Model, StreamFn } from "../types.js";
import { type ChatMessage, chatMessages, type ChatTool, chatTools } from "./chat.js";
import { Reply } from "./reply.js";

/** Whether the browser has the model: as the Prompt API says it. */
export type PromptApiAvailability = "unavailable" | "downloadable" | "downloading" | "available";

/** A prompt of the API. */
interface ApiMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/** A session of the API, as far as it is used here. */
interface ApiSession {
  promptStreaming(
    input: ApiMessage[],
    options: { signal?: AbortSignal; responseConstraint?: object },
  ): ReadableStream<string>;
  destroy(): void;
}

/** `LanguageModel` of the Prompt API (https://github.com/webmachinelearning/prompt-api), as far as it is used here. */
export interface LanguageModelLike {
  availability(options?: object): Promise<PromptApiAvailability>;
  create(options: object): Promise<ApiSession>;
}

/** How {@link promptApi} asks the browser's model. */
export interface PromptApiOptions {
  /** In place of the global `LanguageModel`. */
  api?: LanguageModelLike;
  /** Part of the download that is there, from 0 to 1, when the browser has to fetch the model first. */
  onDownload?: (part: number) => void;
  /** More options of `LanguageModel.create`, such as `expectedOutputs` with the languages. */
  create?: object;
}

const globalApi = (): LanguageModelLike | undefined =>
  (globalThis as { LanguageModel?: LanguageModelLike }).LanguageModel;

/** Whether this browser has a built-in model; `unavailable` where the API itself is missing. */
export async function promptApiAvailability(options: PromptApiOptions = {}): Promise<PromptApiAvailability> {
  const api = options.api ?? globalApi();
  return api ? api.availability(options.create) : "unavailable";
}

/** A model for requests to the browser's own model. */
export const promptApiModel: Model = {
  id: "built-in",
  name: "The browser's built-in model",
  api: "prompt-api",
  provider: "browser",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

/**
 * Makes a stream function of the model that is built into the browser (Chrome's Prompt API). Where there is none, the
 * answer is an error message that says so.
 *
 * The API knows no tools. When there are some, the model is made to answer with JSON, either a text or one call, so that
 * text then comes in one piece. Texts only.
 */
export function promptApi(options: PromptApiOptions = {}): StreamFn {
  return (model, context, given = {}) => {
    const reply = new Reply(model);
    void answer(reply, options, context, given.signal);
    return reply.stream;
  };
}

async function answer(
  reply: Reply,
  options: PromptApiOptions,
  context: Context,
  signal: AbortSignal | undefined,
): Promise<void> {
  let session: ApiSession | undefined;
  try {
    signal?.throwIfAborted();
    const api = options.api ?? globalApi();
    if (!api) throw missing("this browser has no Prompt API (LanguageModel)");
    if ((await api.availability(options.create)) === "unavailable") {
      throw missing("the browser says that this device cannot run it");
    }
    const tools = chatTools(context);
    const messages = apiMessages(chatMessages(context), tools);
    // What came since the last answer is the prompt; the rest is history.
    const last = messages.findLastIndex(({ role }) => role !== "user") + 1;
    const { onDownload } = options;
    session = await api.create({
      ...options.create,
      initialPrompts: messages.slice(0, last),
      ...(signal && { signal }),
      ...(onDownload && {
        monitor: (target: EventTarget) =>
          target.addEventListener("downloadprogress", (event) => onDownload((event as ProgressEvent).loaded)),
      }),
    });
    const stream = session.promptStreaming(messages.slice(last), {
      ...(signal && { signal }),
      ...(tools.length > 0 && { responseConstraint: constraint(tools) }),
    });
    await read(reply, stream, tools.length > 0);
    reply.finish();
  } catch (thrown) {
    reply.fail(thrown, signal?.aborted === true);
  } finally {
    try {
      session?.destroy();
    } catch {
      // The answer is over; a session that is lost already is none of its business.
    }
  }
}

const missing = (why: string) =>
  new AgentError("unsupported", `The built-in model is not available here: ${why}.`);

async function read(reply: Reply, stream: ReadableStream<string>, json: boolean): Promise<void> {
  // By its reader: not every browser can iterate over a stream.
  const reader = stream.getReader();
  let text = "";
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    if (json) text += step.value;
    else reply.text(step.value);
  }
  if (json) decide(reply, text);
}

/** The text or the call that a constrained answer stands for; what is neither is shown as it is. */
function decide(reply: Reply, text: string): void {
  let said: { text?: unknown; tool?: unknown; arguments?: unknown } | null;
  try {
    said = JSON.parse(text);
  } catch {
    return reply.text(text);
  }
  if (typeof said?.tool === "string") {
    reply.call(crypto.randomUUID(), said.tool);
    reply.callArguments(JSON.stringify(said.arguments ?? {}));
  } else reply.text(typeof said?.text === "string" ? said.text : text);
}

/** A text, or one call of one of the tools. */
function constraint(tools: readonly ChatTool[]): object {
  const object = (properties: object, required: string[]) => ({
    type: "object",
    properties,
    required,
    additionalProperties: false,
  });
  const calls = tools.map(({ function: { name, parameters } }) =>
    object({ tool: { const: name }, arguments: parameters }, ["tool", "arguments"]),
  );
  return { anyOf: [object({ text: { type: "string" } }, ["text"]), ...calls] };
}

/** Calls and results as texts, and the tools in the system prompt. */
function apiMessages(messages: readonly ChatMessage[], tools: readonly ChatTool[]): ApiMessage[] {
  const converted = messages.map(apiMessage);
  if (tools.length === 0) return converted;
  const list = tools.map(({ function: { name, description } }) => `- ${name}: ${description}`).join("\n");
  const rules = `Answer with JSON: {"text": "..."} to say something, or {"tool": "...", "arguments": {...}} to call one of these tools and get its result:\n${list}`;
  const [first, ...rest] = converted;
  if (first?.role !== "system") return [{ role: "system", content: rules }, ...converted];
  return [{ role: "system", content: `${first.content}\n\n${rules}` }, ...rest];
}

function apiMessage(message: ChatMessage): ApiMessage {
  if (message.role === "tool") return { role: "user", content: `Result of the tool: ${message.content}` };
  if (message.role !== "assistant") return message;
  const calls = (message.tool_calls ?? []).map(
    ({ function: call }) => `{"tool": ${JSON.stringify(call.name)}, "arguments": ${call.arguments}}`,
  );
  return { role: "assistant", content: [message.content ?? "", ...calls].filter(Boolean).join("\n") };
}
