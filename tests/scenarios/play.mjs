// Plays one of the project's own scenarios (fixtures/scenarios/*.json) and throws where its log differs.
// No Node APIs: the same file runs in Node and in a page. The format is described in fixtures/scenarios/README.md.

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const usage = { ...zero, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const model = {
  ...{ id: "m", name: "Model", api: "scripted", provider: "scripted", baseUrl: "" },
  ...{ reasoning: false, input: ["text"], cost: usage.cost, contextWindow: 100_000, maxTokens: 1000 },
};

/** A message in one line: role, blocks joined by "|", then what is not normal about it. */
function line(message) {
  const blocks =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const texts = blocks.map((block) => {
    if (block.type === "toolCall")
      return `call(${block.id} ${block.name} ${JSON.stringify(block.arguments)})`;
    return block.type === "thinking" ? `<${block.thinking}>` : block.text;
  });
  const marks = [
    message.toolCallId && ` of ${message.toolCallId}`,
    message.isError && " failed",
    ["error", "aborted", "length"].includes(message.stopReason) && ` !${message.stopReason}`,
    message.errorMessage && ` (${message.errorMessage})`,
  ];
  return `${message.role}: ${texts.join("|")}${marks.filter(Boolean).join("")}`;
}

/** The events as log lines; updates are shortened to their kind, so that a log reads like a timeline. */
function eventLine(event) {
  switch (event.type) {
    case "message_start":
    case "message_end":
      return `${event.type} ${line(event.message)}`;
    case "message_update":
      return `message_update ${event.assistantMessageEvent.type}`;
    case "tool_execution_start":
      return `tool_execution_start ${event.toolCallId} ${JSON.stringify(event.args)}`;
    case "tool_execution_end":
      return `tool_execution_end ${event.toolCallId}${event.isError ? " failed" : ""}`;
    case "tool_approval_request":
      return `tool_approval_request ${event.toolCallId} ${JSON.stringify(event.args)}`;
    case "turn_end":
      return `turn_end with ${event.toolResults.length} results`;
    case "agent_end":
      return `agent_end with ${event.messages.length} messages`;
    default:
      return event.type;
  }
}

/** The blocks and the stop reason of a scripted reply. */
function contentOf({ think, say, calls = [], stop }) {
  const content = [];
  if (think !== undefined) content.push({ type: "thinking", thinking: think });
  if (say !== undefined) content.push({ type: "text", text: say });
  for (const { id, name, arguments: args = {} } of calls)
    content.push({ type: "toolCall", id, name, arguments: args });
  return { content, stopReason: stop ?? (calls.length > 0 ? "toolUse" : "stop") };
}

/** What a reply has used; nothing is known of one that does not say it. */
function usageOf({ usage: said }) {
  if (said === undefined) return usage;
  const { input, output, cost = 0 } = said;
  return { ...usage, input, output, totalTokens: input + output, cost: { ...usage.cost, total: cost } };
}

/** Plays the n-th reply to the n-th request: starts, one delta per block, ends, done; or the error it names. */
function scriptedModel(replies, log) {
  let next = 0;
  return (_model, context, options) => {
    const reply = replies[next++];
    if (reply === undefined) throw new Error("the scenario has no further reply");
    log.push(`request ${next}: ${context.messages.filter(({ role }) => role !== "system").length} messages`);
    const { content, stopReason } = contentOf(reply);
    const message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
    };
    Object.assign(message, { usage: usageOf(reply), stopReason: "stop", timestamp: 1 });
    let settle;
    const final = new Promise((resolve) => {
      settle = resolve;
    });
    const never = new Promise(() => {});
    async function* events() {
      if (reply.silent) await never;
      yield { type: "start", partial: message };
      for (const [contentIndex, block] of content.entries()) {
        const [kind, field] = {
          text: ["text", "text"],
          thinking: ["thinking", "thinking"],
          toolCall: ["toolcall"],
        }[block.type];
        message.content.push(field ? { ...block, [field]: "" } : block);
        yield { type: `${kind}_start`, contentIndex, partial: message };
        if (field) message.content[contentIndex][field] = block[field];
        const delta = field ? block[field] : JSON.stringify(block.arguments);
        yield { type: `${kind}_delta`, contentIndex, delta, partial: message };
        const end = field ? { content: block[field] } : { toolCall: block };
        yield { type: `${kind}_end`, contentIndex, ...end, partial: message };
      }
      if (reply.deaf) await never;
      if (reply.hang && !options.signal.aborted) {
        await new Promise((resolve) => options.signal.addEventListener("abort", resolve, { once: true }));
      }
      const failed = options.signal?.aborted ? "aborted" : reply.error && "error";
      if (failed) {
        const errorMessage = failed === "error" ? reply.error : "Request was aborted";
        const error = Object.assign(message, { stopReason: failed, errorMessage });
        settle(error);
        yield { type: "error", reason: failed, error };
      } else {
        Object.assign(message, { stopReason });
        settle(message);
        yield { type: "done", reason: stopReason, message };
      }
    }
    return { [Symbol.asyncIterator]: events, result: () => final };
  };
}

/** Tools that return or throw what the scenario says; without either they return their arguments. */
function scriptedTool([name, { returns, throws, hangs, parameters, ...rest }]) {
  return {
    ...{ name, label: name, description: name, ...rest },
    parameters: parameters ?? { type: "object", properties: {} },
    execute: async (_id, args) => {
      if (hangs) await new Promise(() => {});
      if (throws !== undefined) throw new Error(throws);
      return { content: [{ type: "text", text: returns ?? JSON.stringify(args) }], details: {} };
    },
  };
}

/** What a scenario can do with the agent, at its start or when an event comes. */
const actions = {
  prompt: (agent, text) => agent.prompt(text),
  continue: (agent) => agent.continue(),
  steer: (agent, content) => void agent.steer({ role: "user", content, timestamp: 1 }),
  followUp: (agent, content) => void agent.followUp({ role: "user", content, timestamp: 1 }),
  abort: (agent) => agent.abort(),
  reset: (agent) => agent.reset(),
  // The oldest request that waits.
  approve: (agent) => agent.approve(agent.pendingApprovals[0].id),
  deny: (agent, reason) => agent.deny(agent.pendingApprovals[0].id, reason),
};

const act = (agent, action) => {
  const [[name, argument]] = Object.entries(action);
  return actions[name](agent, argument);
};

/** Plays `scenario` with the Agent of `steersman`; rejects with both logs where they differ. */
export async function play({ Agent }, scenario) {
  const log = [];
  const tools = Object.entries(scenario.tools ?? {}).map(scriptedTool);
  const agent = new Agent({
    ...scenario.agent,
    initialState: { model, tools },
    streamFn: scriptedModel(scenario.replies, log),
  });
  const attempt = (action) =>
    Promise.resolve(act(agent, action)).catch((error) => {
      log.push(`rejected: ${error.message}`);
    });
  const waiting = [...(scenario.on ?? [])];
  agent.subscribe((event) => {
    const text = eventLine(event);
    log.push(text);
    const i = waiting.findIndex(({ event: wanted }) => text.startsWith(wanted));
    if (i >= 0) attempt(waiting.splice(i, 1)[0].do);
  });
  for (const action of scenario.main) await attempt(action);
  await agent.waitForIdle();
  log.push(...agent.state.messages.filter(({ role }) => role !== "system").map(line));
  const expected = scenario.expect;
  const at = Array.from({ length: Math.max(log.length, expected.length) }).findIndex(
    (_, i) => log[i] !== expected[i],
  );
  if (at >= 0) {
    const around = (lines) => lines.slice(Math.max(0, at - 2), at + 3).join("\n    ");
    throw new Error(`line ${at + 1} differs\n  expected\n    ${around(expected)}\n  got\n    ${around(log)}`);
  }
  if (waiting.length > 0) throw new Error(`never happened: ${waiting.map(({ event }) => event).join(", ")}`);
}
