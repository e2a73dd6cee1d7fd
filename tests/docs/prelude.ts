// What the code blocks of README and docs take for granted: a few global names, and a model that needs no server.
import {
  Agent,
  type AssistantMessage,
  AssistantMessageEventStream,
  getCurrentTools,
  type Message,
  type Model,
  type StreamFn,
  type ToolCall,
  tool,
} from "steersman";

declare global {
  var model: Model;
  var streamFn: StreamFn;
  var agent: Agent;
  /** Shows something to the user. */
  var show: (...values: unknown[]) => void;
  /** Asks the user. */
  var ask: (question: string) => Promise<boolean>;
}

globalThis.model = {
  ...{ id: "scripted", name: "Scripted", api: "scripted", provider: "scripted", baseUrl: "" },
  ...{ reasoning: false, input: ["text"], contextWindow: 8192, maxTokens: 1024 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** Calls every tool that the user names ("pay {json}" with arguments), else says "Done.". */
globalThis.streamFn = (_model, context, options) => {
  const last = context.messages.at(-1);
  const text = last?.role === "user" ? textOf(last) : "";
  const names = new Set(getCurrentTools(context.messages).map(({ name }) => name));
  const content: AssistantMessage["content"] = [];
  for (const [, name = "", json] of text.matchAll(/(\w+)(?: (\{.*?\}))?/g)) {
    if (names.has(name)) content.push(callOf(`call-${content.length + 1}`, name, json));
  }
  if (content.length === 0) content.push({ type: "text", text: "Done." });
  return answer(content, options?.signal);
};

function callOf(id: string, name: string, json = "{}"): ToolCall {
  return { type: "toolCall", id, name, arguments: JSON.parse(json) as ToolCall["arguments"] };
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function answer(content: AssistantMessage["content"], signal?: AbortSignal): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const message: AssistantMessage = {
    ...{ role: "assistant", content, api: model.api, provider: model.provider, model: model.id },
    usage: {
      ...{ input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110 },
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
    timestamp: Date.now(),
  };
  if (signal?.aborted) {
    const error: AssistantMessage = {
      ...message,
      content: [],
      stopReason: "aborted",
      errorMessage: "Request was aborted",
    };
    stream.push({ type: "error", reason: "aborted", error });
    return stream;
  }
  const partial: AssistantMessage = { ...message, content: [], stopReason: "pending" };
  stream.push({ type: "start", partial });
  for (const block of content) {
    const contentIndex = partial.content.push(block) - 1;
    if (block.type !== "text") continue;
    stream.push({ type: "text_delta", contentIndex, delta: block.text, partial });
  }
  stream.push({ type: "done", reason: message.stopReason === "stop" ? "stop" : "toolUse", message });
  return stream;
}

const saying = (name: string) => async () => ({
  content: [{ type: "text" as const, text: `${name} ran` }],
  details: undefined,
});

globalThis.agent = new Agent({
  streamFn,
  initialState: {
    model,
    tools: ["look", "list"].map((name) =>
      tool({ name, description: name, parameters: { type: "object" }, execute: saying(name) }),
    ),
  },
});
globalThis.show = (...values) => console.log(...values);
globalThis.ask = async () => true;
