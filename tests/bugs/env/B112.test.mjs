// B112: views into wasm memory were kept over a call; when the memory grew they were detached or showed other data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { chatModel, sse, streamed } from "../../hostile/provider.mjs";
import { toolOf, user } from "../../shell/scripted.mjs";

const DELTA = 100 * 1024;
const chunk = (choice) => sse([{ choices: [{ index: 0, finish_reason: null, ...choice }] }], "");
const letter = (i) => String.fromCharCode(97 + i).repeat(DELTA);
const argumentsText = JSON.stringify({ text: "x".repeat(DELTA), list: [1, { deep: true }] });

test("B112 payloads kept without being read are intact after the memory of the module has grown", async () => {
  const bodies = [
    [
      ...Array.from({ length: 8 }, (_, i) => chunk({ delta: { content: letter(i) } })),
      chunk({
        delta: { tool_calls: [{ index: 0, id: "k1", function: { name: "t", arguments: argumentsText } }] },
      }),
      chunk({ delta: {}, finish_reason: "tool_calls" }),
      sse([]),
    ],
    [chunk({ delta: { content: "end" }, finish_reason: "stop" }), sse([])],
    [chunk({ delta: { content: "grown" }, finish_reason: "stop" }), sse([])],
  ];
  const sent = [];
  const fetch = async (_url, init) => {
    sent.push(init.body);
    return streamed(bodies.shift());
  };
  const bytes = new Uint8Array([1, 2, 3]);
  const kept = { deltas: [], args: undefined, messages: [], results: [] };
  const tool = toolOf("t");
  tool.execute = async (_id, args) => {
    kept.args = args;
    return { content: [{ type: "text", text: "ok" }], details: { bytes } };
  };
  const streamFn = (model, context, options) =>
    streamSimple(model, context, { ...options, apiKey: "key", fetch });
  const agent = new Agent({ streamFn, initialState: { model: chatModel, tools: [tool] } });
  agent.subscribe((event) => {
    if (event.assistantMessageEvent?.type === "text_delta") kept.deltas.push(event.assistantMessageEvent);
    if (event.type === "message_end") kept.messages.push(event.message);
    if (event.type === "tool_execution_end") kept.results.push(event.result);
  });
  await agent.prompt("a");
  // 64 MiB of history go into the module with the next request.
  agent.state.messages = [
    ...agent.state.messages,
    ...Array.from({ length: 64 }, () => user("h".repeat(1 << 20))),
  ];
  await agent.prompt("b");
  assert.equal(agent.state.messages.at(-1).content[0].text, "grown");
  assert.ok(sent.at(-1).byteLength > 64 << 20);

  kept.deltas.slice(0, 8).forEach(({ delta }, i) => assert.equal(delta, letter(i)));
  assert.deepEqual(kept.args, JSON.parse(argumentsText));
  const answer = kept.messages.find(({ role }) => role === "assistant");
  assert.equal(answer.content[0].text.length, 8 * DELTA);
  assert.deepEqual(answer.content[1].arguments, JSON.parse(argumentsText));
  // Bodies that were sent before are copies too.
  assert.equal(JSON.parse(new TextDecoder().decode(sent[0])).model, "m");
  // What a tool returns stays the tool's own: nothing of it is read later.
  bytes.fill(9);
  assert.deepEqual([...kept.results[0].details.bytes], [9, 9, 9]);
});
