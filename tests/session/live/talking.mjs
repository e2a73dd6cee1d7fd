// Conversations in a model of 2,000 tokens, for the cases of compaction.
import { agentOf, model, told, usageOf } from "./world.mjs";

/** A word of so many tokens. */
export const words = (tokens) => "word".repeat(tokens);
export const small = { ...model, contextWindow: 2000, maxTokens: 200 };
export const settings = { reserveTokens: 500, keepRecentTokens: 400 };
export const isSummary = ({ context }) => context.systemPrompt !== undefined;

/** Answers conversations with `answer`, and requests for summaries with `summary`; both may be functions. */
export function talking(answer, summary = "The summary.", m = small) {
  const requests = [];
  let inFlight = 0;
  const streamFn = async (asked, context, options) => {
    const request = { model: asked, messages: [...context.messages], context, options };
    requests.push(request);
    streamFn.most = Math.max(streamFn.most, ++inFlight);
    let content = isSummary(request) ? summary : answer;
    if (typeof content === "function") content = await content(request);
    const base = { role: "assistant", api: "scripted", provider: asked.provider, model: asked.id };
    const blocks =
      typeof content === "string" ? [{ type: "text", text: content }] : (content.content ?? content);
    const calls = blocks.some?.(({ type }) => type === "toolCall");
    const message = {
      ...{ ...base, content: blocks, usage: usageOf(0, 0), timestamp: Date.now() },
      stopReason: calls ? "toolUse" : "stop",
      ...(typeof content === "string" || Array.isArray(content) ? {} : content),
    };
    if (options.signal?.aborted) Object.assign(message, { stopReason: "aborted", errorMessage: "aborted" });
    const failed = ["error", "aborted"].includes(message.stopReason);
    const partial = { ...message, stopReason: "pending" };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial };
        for (const [contentIndex, block] of message.content.entries())
          if (block.type === "text") {
            yield { type: "text_start", contentIndex, partial };
            yield { type: "text_delta", contentIndex, delta: block.text, partial };
            yield { type: "text_end", contentIndex, content: block.text, partial };
          }
        inFlight--;
        yield failed
          ? { type: "error", reason: message.stopReason, error: message }
          : { type: "done", reason: message.stopReason, message };
      },
      result: async () => message,
    };
  };
  return Object.assign(streamFn, {
    requests,
    model: m,
    most: 0,
    summaries: () => requests.filter(isSummary),
  });
}

export async function sessionOf(
  host,
  streamFn,
  { state = {}, compaction = settings, agent: options = {}, ...more } = {},
) {
  const { Session, MemoryStore } = host.session;
  const store = new MemoryStore();
  const agent = agentOf(host, streamFn, { state: { model: streamFn.model, ...state }, ...options });
  const session = await Session.open({ agent, store, compaction, ...more });
  return { agent, store, session, events: told(session) };
}

/** The events of compactions, by type. */
export const course = (events) =>
  events
    .map(({ type, entry }) => (type === "entry_added" ? `+${entry.type}` : type))
    .filter((type) => /compaction|summary|edit/.test(type))
    .filter((type, place, all) => type !== "summary_delta" || type !== all[place - 1])
    .join(" ");

export const overflowed = {
  stopReason: "error",
  errorMessage: "prompt is too long: 9000 tokens > 2000 maximum",
  content: [],
};
