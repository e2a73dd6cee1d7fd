// Is the body of a Chat Completions request acceptable? The rules of checker.rs, for where the judge of the shared
// folder is not at hand.

const isText = (value) => typeof value === "string" && value !== "";

/** What a server would object to; empty when the body is fine. */
export function problems(body, model) {
  const found = [];
  const need = (ok, what) => void (ok || found.push(what));
  const compat = model.compat ?? {};
  const longest = model.provider === "openai" ? 40 : 64;
  need(isText(body.model), "no model");
  need(Array.isArray(body.messages) && body.messages.length > 0, "no messages");
  need(body.messages?.at(-1)?.role !== "assistant", "the last message is from the assistant");
  let open = [];
  let before = "";
  for (const [index, message] of (body.messages ?? []).entries()) {
    const { role } = message;
    const at = (what) => `messages[${index}] (${role}): ${what}`;
    if (role !== "tool" && open.length > 0) {
      found.push(at(`no result for ${open.map(({ id }) => id)} right after the call`));
      open = [];
    }
    if (role === "system" || role === "developer") content(message, at, need);
    else if (role === "user") {
      content(message, at, need);
      if (compat.requiresAssistantAfterToolResult) need(before !== "tool", at("directly after tool results"));
    } else if (role === "assistant") open = assistant(message, at, need, longest, compat);
    else if (role === "tool") {
      const place = open.findIndex(({ id }) => id === message.tool_call_id);
      need(place >= 0, at(`a result for ${message.tool_call_id}, which is not called right before`));
      if (place >= 0) open.splice(place, 1);
      if (compat.requiresToolResultName) need(isText(message.name), at("no name"));
      content(message, at, need);
    } else found.push(at("unknown role"));
    before = role;
  }
  need(open.length === 0, `no result for ${open.map(({ id }) => id)}`);
  const names = (body.tools ?? []).map((tool) => tool.function?.name);
  need(names.every(isText) && new Set(names).size === names.length, "tool names");
  return found;
}

/** Content that must say something, unless it is `optional`. */
function content({ content: value }, at, need, optional = false) {
  if (typeof value === "string") need(optional || value !== "", at("empty content"));
  else if (Array.isArray(value)) {
    need(value.length > 0, at("an empty list as content"));
    for (const part of value) if (part.type === "text") need(isText(part.text), at("an empty text part"));
  } else need(optional, at("no content"));
}

/** @returns the calls that wait for a result */
function assistant(message, at, need, longest, compat) {
  const calls = message.tool_calls ?? [];
  const thinks = ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"];
  const says = calls.length > 0 || thinks.some((name) => name in message);
  const { requiresNonNullAssistantContent: text, requiresAssistantAfterToolResult: bridge } = compat;
  content(message, at, need, says || text || bridge);
  if (text) need(message.content !== null && message.content !== undefined, at("null content"));
  need(!("tool_calls" in message) || calls.length > 0, at("an empty list of calls"));
  const ids = calls.map(({ id }) => id);
  need(new Set(ids).size === ids.length, at(`ids are used twice: ${ids}`));
  for (const { id, function: fn } of calls) {
    need(isText(id) && id.length <= longest, at(`id ${JSON.stringify(id)}`));
    need(/^[a-zA-Z0-9_.:-]*$/.test(id), at(`odd characters in id ${JSON.stringify(id)}`));
    need(isText(fn?.name), at("a call without a name"));
    let args;
    try {
      args = JSON.parse(fn.arguments);
    } catch {
      // Judged below.
    }
    need(
      typeof args === "object" && args !== null && !Array.isArray(args),
      at("arguments are no JSON object"),
    );
  }
  return calls.slice();
}
