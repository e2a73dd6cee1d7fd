// What a request says: for any body of chat completions.

const text = (content) =>
  typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("");

/** The texts of user messages. */
export const userTexts = (body) =>
  body.messages.filter(({ role }) => role === "user").map(({ content }) => text(content));

/** Calls that were sent, in order. */
export const callsOf = (body) => body.messages.flatMap(({ tool_calls }) => tool_calls ?? []);

/** Results that were sent, in order: id and text. */
export const resultsOf = (body) =>
  body.messages
    .filter(({ role }) => role === "tool")
    .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: text(content) }));

/** Ids of calls that no result follows. */
export function danglingCalls(body) {
  const open = new Map();
  for (const message of body.messages) {
    for (const { id } of message.tool_calls ?? []) open.set(id, (open.get(id) ?? 0) + 1);
    if (message.role === "tool") open.set(message.tool_call_id, (open.get(message.tool_call_id) ?? 0) - 1);
  }
  return [...open].filter(([, count]) => count > 0).map(([id]) => id);
}

/** Ids of results that follow no call. */
export function orphanResults(body) {
  const known = new Set();
  const orphans = [];
  for (const message of body.messages) {
    for (const { id } of message.tool_calls ?? []) known.add(id);
    if (message.role === "tool" && !known.delete(message.tool_call_id)) orphans.push(message.tool_call_id);
  }
  return orphans;
}
