// What a request says: for any body of chat completions, Anthropic Messages or Google's generative AI.

const text = (content) =>
  typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("");

/** The texts of user messages. */
export const userTexts = (body) =>
  body.messages.filter(({ role }) => role === "user").map(({ content }) => text(content));

const blocksOf = ({ content }, kind) =>
  Array.isArray(content) ? content.filter(({ type }) => type === kind) : [];

/** Calls of one message. */
const callsIn = (message) =>
  message.tool_calls ??
  message.parts?.flatMap(({ functionCall }) => functionCall ?? []) ??
  blocksOf(message, "tool_use");

/** Results in one message. */
const resultsIn = (message) =>
  message.role === "tool"
    ? [{ id: message.tool_call_id, text: text(message.content) }]
    : blocksOf(message, "tool_result").map((block) => ({ id: block.tool_use_id, text: text(block.content) }));

/** Calls that were sent, in order. */
export const callsOf = (body) => (body.messages ?? body.contents).flatMap(callsIn);

/** Results that were sent, in order: id and text. */
export const resultsOf = (body) => body.messages.flatMap(resultsIn);

/** Ids of calls that no result follows. */
export function danglingCalls(body) {
  const open = new Map();
  for (const message of body.messages) {
    for (const { id } of callsIn(message)) open.set(id, (open.get(id) ?? 0) + 1);
    for (const { id } of resultsIn(message)) open.set(id, (open.get(id) ?? 0) - 1);
  }
  return [...open].filter(([, count]) => count > 0).map(([id]) => id);
}

/** Ids of results that follow no call. */
export function orphanResults(body) {
  const known = new Set();
  const orphans = [];
  for (const message of body.messages) {
    for (const { id } of callsIn(message)) known.add(id);
    for (const { id } of resultsIn(message)) if (!known.delete(id)) orphans.push(id);
  }
  return orphans;
}
