// How each family answers: what a server of it would send for an answer made of thinking, text and calls.

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value) => `event: ${value.type}\n${data(value)}`;
const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost };

/** A model of a family. */
const model = (api, provider, id, baseUrl, more = {}) => ({
  ...{ id, name: id, api, provider, baseUrl, reasoning: true, input: ["text", "image"], cost },
  ...{ contextWindow: 200_000, maxTokens: 8192, ...more },
});

/** What a family's server signs its thoughts with; base64, for some take nothing else. */
const seal = (family) => btoa(`sealed by ${family} `.padEnd(30, "."));

/** The events of Chat Completions; `content` and `thinking` make the deltas of text and thoughts. */
function chat({ thinking, content }, ids) {
  return (blocks, _turn, ending) => {
    const chunk = (delta, finish_reason = null) =>
      data({ id: "c1", model: "m", choices: [{ index: 0, delta, finish_reason }] });
    let calls = 0;
    const chunks = blocks.map(({ kind, text, name, args }) => {
      if (kind === "thinking") return chunk(thinking(text));
      if (kind === "text") return chunk(content(text));
      const [index, json] = [calls++, JSON.stringify(args)];
      const call = (fields, text) =>
        chunk({ tool_calls: [{ index, ...fields, function: { ...(fields && { name }), arguments: text } }] });
      return (
        call({ id: ids[index], type: "function" }, "") +
        call(undefined, json.slice(0, 3)) +
        call(undefined, json.slice(3))
      );
    });
    const reason = ending && { stop: "stop", toolUse: "tool_calls" }[ending];
    return chunks.join("") + (reason ? `${chunk({}, reason)}data: [DONE]\n\n` : "");
  };
}

function anthropic(blocks, turn, ending) {
  const parts = blocks.map(({ kind, text, name, args }, index) => {
    const start = (content_block) => named({ type: "content_block_start", index, content_block });
    const delta = (value) => named({ type: "content_block_delta", index, delta: value });
    const stop = named({ type: "content_block_stop", index });
    if (kind === "text")
      return start({ type: "text", text: "" }) + delta({ type: "text_delta", text }) + stop;
    if (kind === "thinking")
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        delta({ type: "thinking_delta", thinking: text }),
        delta({ type: "signature_delta", signature: seal("anthropic-messages") }),
        stop,
      ].join("");
    const json = JSON.stringify(args);
    return [
      start({ type: "tool_use", id: `toolu_${turn}${index}`, name, input: {} }),
      delta({ type: "input_json_delta", partial_json: json.slice(0, 3) }),
      delta({ type: "input_json_delta", partial_json: json.slice(3) }),
      stop,
    ].join("");
  });
  const message = { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: 1 } };
  const stop_reason = { stop: "end_turn", toolUse: "tool_use" }[ending];
  const last = [
    named({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } }),
    named({ type: "message_stop" }),
  ];
  return [named({ type: "message_start", message }), ...parts, ...(ending ? last : [])].join("");
}

function responses(blocks, turn, ending) {
  const parts = blocks.map(({ kind, text, name, args }, output_index) => {
    const id = `${{ thinking: "rs", text: "msg", call: "fc" }[kind]}_${turn}${output_index}`;
    const item = (step, value) =>
      named({ type: `response.output_item.${step}`, output_index, item: { id, ...value } });
    const event = (type, value) => named({ type: `response.${type}`, output_index, item_id: id, ...value });
    if (kind === "thinking") {
      const fields = { type: "reasoning", encrypted_content: seal("openai-responses") };
      const part = { type: "summary_text", text: "" };
      return [
        item("added", { ...fields, summary: [] }),
        event("reasoning_summary_part.added", { summary_index: 0, part }),
        event("reasoning_summary_text.delta", { summary_index: 0, delta: text }),
        event("reasoning_summary_part.done", { summary_index: 0, part: { ...part, text } }),
        item("done", { ...fields, summary: [{ ...part, text }] }),
      ].join("");
    }
    if (kind === "text") {
      const part = { type: "output_text", text: "", annotations: [] };
      const fields = { type: "message", role: "assistant" };
      return [
        item("added", { ...fields, status: "in_progress", content: [] }),
        event("content_part.added", { content_index: 0, part }),
        event("output_text.delta", { content_index: 0, delta: text }),
        item("done", { ...fields, status: "completed", content: [{ ...part, text }] }),
      ].join("");
    }
    const json = JSON.stringify(args);
    const fields = { type: "function_call", call_id: `call_${turn}${output_index}`, name };
    return [
      item("added", { ...fields, arguments: "" }),
      event("function_call_arguments.delta", { delta: json.slice(0, 3) }),
      event("function_call_arguments.delta", { delta: json.slice(3) }),
      event("function_call_arguments.done", { arguments: json }),
      item("done", { ...fields, arguments: json, status: "completed" }),
    ].join("");
  });
  const response = { id: "resp_1", model: "m", output: [] };
  const counts = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const last = named({
    type: "response.completed",
    response: { ...response, status: "completed", usage: counts },
  });
  return [named({ type: "response.created", response }), ...parts, ...(ending ? [last] : [])].join("");
}

function gemini(blocks, turn, ending) {
  const thoughtSignature = seal("google-generative-ai");
  const chunk = (part, more = {}) =>
    data({
      candidates: [{ content: { role: "model", parts: part ? [part] : [] }, ...more }],
      responseId: "r1",
    });
  const parts = blocks.map(({ kind, text, name, args }, index) => {
    if (kind === "thinking") return chunk({ text, thought: true, thoughtSignature });
    if (kind === "text") return chunk({ text });
    return chunk({ functionCall: { id: `call_${turn}${index}`, name, args }, thoughtSignature });
  });
  return parts.join("") + (ending ? chunk(undefined, { finishReason: "STOP" }) : "");
}

/** pi's own protocols. */
const pi = (family) => (blocks, turn, ending) => {
  const parts = blocks.map(({ kind, text, name, args }, contentIndex) => {
    const event = (type, value) => data({ type, contentIndex, ...value });
    if (kind !== "call") {
      const contentSignature = kind === "thinking" ? seal(family) : undefined;
      return [
        event(`${kind}_start`),
        event(`${kind}_delta`, { delta: text }),
        event(`${kind}_end`, { content: text, contentSignature }),
      ].join("");
    }
    const [id, json] = [`call_${turn}${contentIndex}`, JSON.stringify(args)];
    return [
      event("toolcall_start", { id, toolName: name }),
      event("toolcall_delta", { delta: json.slice(0, 3) }),
      event("toolcall_delta", { delta: json.slice(3) }),
      event("toolcall_end", { toolCall: { type: "toolCall", id, name, arguments: args } }),
    ].join("");
  });
  const last = data({ type: "done", reason: ending, usage });
  return [data({ type: "start" }), ...parts, ...(ending ? [last] : [])].join("");
};

/**
 * A family: `model`; `answer(blocks, turn, ending)`, the body for blocks `{ kind: "thinking" | "text", text }` and
 * `{ kind: "call", name, args }`, which breaks off without an `ending` (`stop`, `toolUse`); `passes`, for one that
 * passes everything on as it is.
 */
const family = (name, model, answer, passes = false) => ({ name, model, answer, passes });

export const families = [
  family(
    "anthropic-messages",
    model("anthropic-messages", "anthropic", "claude-m", "https://api.anthropic.com"),
    anthropic,
  ),
  family(
    "openai-completions",
    model("openai-completions", "openai", "m", "https://api.openai.com/v1"),
    chat(
      { thinking: (reasoning_content) => ({ reasoning_content }), content: (content) => ({ content }) },
      // Hosts use ids again, and not only short ones.
      ["call_1", `call_${"0123456789".repeat(6)}`],
    ),
  ),
  family(
    "openai-responses",
    model("openai-responses", "openai", "gpt-5", "https://api.openai.com/v1"),
    responses,
  ),
  family(
    "google-generative-ai",
    model("google-generative-ai", "google", "gemini-3-m", "https://generativelanguage.googleapis.com/v1beta"),
    gemini,
  ),
  family(
    "mistral-conversations",
    model("mistral-conversations", "mistral", "magistral-m", "https://api.mistral.ai"),
    chat(
      {
        thinking: (text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }),
        content: (text) => ({ content: [{ type: "text", text }] }),
      },
      ["abcDEF012", "abcDEF013"],
    ),
  ),
  family("pi-messages", model("pi-messages", "own", "m", "https://backend.example"), pi("pi-messages"), true),
  family(
    "pi-proxy",
    model("anthropic-messages", "through-proxy", "m", "https://unused.example"),
    pi("pi-proxy"),
    true,
  ),
];
