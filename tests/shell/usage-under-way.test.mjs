// What a view of an answer can show of its tokens while it is written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { chatModel } from "../hostile/provider.mjs";

const events = [
  {
    type: "message_start",
    message: { id: "m", usage: { input_tokens: 7, cache_read_input_tokens: 90, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Oslo." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
  { type: "message_stop" },
];
const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

test("the counts that begin a response of Anthropic are there with its first event", async () => {
  const model = {
    ...chatModel,
    api: "anthropic-messages",
    cost: { input: 1e6, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const answer = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const agent = new Agent({
    initialState: { model },
    streamFn: (model, context, options) =>
      streamSimple(model, context, { ...options, fetch: answer, apiKey: "key" }),
  });
  const seen = [];
  agent.subscribe((event) => {
    if (event.type !== "message_update") return;
    const { usage, stopReason } = event.message;
    seen.push([
      event.assistantMessageEvent.type,
      usage.input,
      usage.cacheRead,
      usage.totalTokens,
      usage.cost.input,
      stopReason,
    ]);
  });
  await agent.prompt("Where?");
  assert.deepEqual(
    seen,
    ["text_start", "text_delta", "text_end"].map((type) => [type, 7, 90, 98, 7, "pending"]),
  );
  const { usage, stopReason } = agent.state.messages.at(-1);
  assert.deepEqual([usage.output, usage.totalTokens, stopReason], [4, 101, "stop"]);
});

test("a prompt that is no message fails before the run has told of anything", async () => {
  const agent = new Agent({ initialState: { model: chatModel }, streamFn: () => assert.fail("asked") });
  const heard = [];
  agent.subscribe(({ type }) => void heard.push(type));
  await agent.prompt(undefined);
  assert.deepEqual(heard, ["message_start", "message_end", "turn_end", "agent_end"]);
  assert.match(agent.state.errorMessage, /undefined/);
});
