// Agents that are made, work and are dropped, in all the ways in which something could be left behind. Nothing is freed
// by hand: no dispose(), no unsubscribe, no return().
import { chatModel, chunksOf, provider, sse, streamed } from "../hostile/provider.mjs";
import { call, toolOf, user } from "../shell/scripted.mjs";

/** Turns that one agent makes. */
export const TURNS = 12;

const text = (value) => [{ type: "text", text: value }];

/** A response that stops in the middle, until it is cancelled. */
const endless = () => {
  const first = sse(chunksOf(text("half")).slice(0, 1), "");
  return streamed([first], { after: () => new Promise(() => {}) });
};

const answers = () => [
  text("one"),
  [...text("calling"), call("k1", "t", { a: [1, { deep: "x".repeat(200) }] }), call("k2", "t", { a: 2 })],
  text("two"),
  endless,
  text("three"),
  text("four"),
  text("steered"),
  [call("k3", "t", { a: "not a number" }), call("k4", "missing", {})],
  text("five"),
  () => new Response('{"error":{"message":"no"}}', { status: 400 }),
  [call("k5", "ask", {})],
  text("six"),
];

/** One agent's life. */
async function live(steersman, number) {
  const state = { number, data: new Array(50).fill(number) };
  const parameters = { type: "object", properties: { a: {} }, additionalProperties: true };
  const tool = toolOf("t", undefined, { parameters });
  tool.execute = async (_id, args, signal, onUpdate) => {
    signal.addEventListener("abort", () => void state.data.push(args));
    onUpdate({ content: text(String(state.number)), details: {} });
    return { content: text("ok"), details: { args } };
  };
  const asks = toolOf("ask", undefined, { approval: true });
  const fetch = provider(answers());
  const agent = new steersman.Agent({
    initialState: { model: chatModel, systemPrompt: `Agent ${number}`, tools: [tool, asks] },
    streamFn: (model, context, options) =>
      steersman.streamSimple(model, context, { ...options, apiKey: "key", fetch }),
    limits: { idleMs: 60_000, toolMs: 60_000, maxTurns: 50 },
    beforeToolCall: async () => void state.data.length,
    prepareRequest: async ({ context }) => ({ context }),
  });
  agent.subscribe((event) => {
    state.last = event;
    if (event.type === "tool_approval_request") agent.approve(event.id);
  });
  void agent.events().next();
  await agent.prompt("1");
  await agent.prompt("2");
  const leave = agent.subscribe((event) => event.type === "message_update" && agent.abort(state));
  await agent.prompt("aborted");
  leave();
  for await (const event of agent.stream("3")) if (event.type === "turn_end") break;
  await agent.waitForIdle();
  agent.followUp(user("f"));
  agent.steer(user("s"));
  await agent.prompt("4");
  await agent.prompt("5");
  await agent.prompt("6");
  await agent.prompt("7");
  const { messages } = agent.state;
  const config = { model: chatModel, convertToLlm: (list) => list, apiKey: "key" };
  const once = (model, context, options) =>
    steersman.streamSimple(model, context, { ...options, fetch: provider([]) });
  await steersman.agentLoop([user("low")], { messages, tools: [] }, config, undefined, once).result();
  return messages.length;
}

/** @returns the number of messages, to show that work was done */
export async function churn(steersman, agents) {
  let messages = 0;
  for (let number = 0; number < agents; number++) messages += await live(steersman, number);
  return messages;
}
