// A model that says what a test tells it to: one entry per request, in order. Imports nothing, so that a test chooses
// the entry of the package, and shows that a stream function needs nothing of the package.

export const model = {
  ...{ id: "m", name: "Model", api: "scripted", provider: "scripted", baseUrl: "" },
  ...{ reasoning: false, input: ["text"], contextWindow: 100_000, maxTokens: 1000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

export function usageOf(input, output, total = 0) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost };
}

export const user = (text) => ({ role: "user", content: text, timestamp: 1 });
export const call = (id, name, args = {}) => ({ type: "toolCall", id, name, arguments: args });

/** The text of a user message, however it is written. */
export const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");

/**
 * @param answers texts, or lists of content blocks, or functions that return one or throw
 * @returns the stream function; `requests` collects what it was asked
 */
export function scripted(answers, { usage = usageOf(0, 0), model: m = model } = {}) {
  const requests = [];
  const streamFn = (_model, context, options) => {
    requests.push({ messages: [...context.messages], context, options });
    let answer = answers[requests.length - 1] ?? "done";
    if (typeof answer === "function") answer = answer(options);
    const content = typeof answer === "string" ? [{ type: "text", text: answer }] : answer;
    const calls = content.some((block) => block.type === "toolCall");
    const base = { role: "assistant", api: m.api, provider: m.provider, model: m.id, usage, timestamp: 2 };
    const partial = { ...base, content: [], stopReason: "pending" };
    const events = [{ type: "start", partial }];
    content.forEach((block, contentIndex) => {
      partial.content = [...partial.content, block];
      if (block.type !== "text") return;
      events.push({ type: "text_start", contentIndex, partial });
      events.push({ type: "text_delta", contentIndex, delta: block.text, partial });
      events.push({ type: "text_end", contentIndex, content: block.text, partial });
    });
    const final = { ...base, content, stopReason: calls ? "toolUse" : "stop" };
    if (options.signal?.aborted) {
      Object.assign(final, { stopReason: "aborted", errorMessage: "Request was aborted" });
      events.push({ type: "error", reason: "aborted", error: final });
    } else {
      events.push({ type: "done", reason: final.stopReason, message: final });
    }
    return {
      async *[Symbol.asyncIterator]() {
        yield* events;
      },
      result: async () => final,
    };
  };
  return Object.assign(streamFn, { requests });
}

/** A tool that answers at once, or does what `run` says. */
export function toolOf(name, run = async () => "ok", more = {}) {
  return {
    ...{ name, label: name, description: name, parameters: { type: "object", properties: {} } },
    execute: async (...args) => ({
      content: [{ type: "text", text: String(await run(...args)) }],
      details: {},
    }),
    ...more,
  };
}
