// Plays cases of kind `tool-args`: one call of one tool, its arguments streamed in the given pieces.
import assert from "node:assert/strict";
import { chatModel, sse, streamed } from "../hostile/provider.mjs";
import { textOf, toolOf } from "../shell/scripted.mjs";
import { judge, Keys } from "./keys.mjs";

const chunk = (choice) => sse([{ choices: [{ index: 0, finish_reason: null, ...choice }] }], "");

/** The pieces of a response that calls `t` with these fragments of argument text. */
function pieces(deltas) {
  const part = (call) => chunk({ delta: { tool_calls: [{ index: 0, ...call }] } });
  return [
    part({ id: "k1", type: "function", function: { name: "t" } }),
    ...deltas.map((text) => part({ function: { arguments: text } })),
    chunk({ delta: {}, finish_reason: "tool_calls" }),
    sse([]),
  ];
}

async function callTool(host, schema, deltas, strict) {
  const seen = { received: [], bodies: [], partials: 0 };
  const tool = toolOf("t", undefined, { parameters: schema });
  if (strict) tool.constrainedSampling = { type: "json_schema", strict: "require" };
  tool.execute = async (_id, args, _signal, _onUpdate, exact) => {
    seen.received.push({ args, exact });
    return { content: [{ type: "text", text: "ok" }], details: {} };
  };
  const fetch = async (_url, init) => {
    seen.bodies.push(new TextDecoder().decode(init.body));
    if (seen.bodies.length === 1) return streamed(pieces(deltas));
    return streamed([chunk({ delta: { content: "end" }, finish_reason: "stop" }), sse([])]);
  };
  const streamFn = (m, context, options) =>
    host.steersman.streamSimple(m, context, { ...options, apiKey: "key", fetch });
  const model = strict ? { ...chatModel, compat: { supportsStrictMode: true } } : chatModel;
  const agent = new host.steersman.Agent({ streamFn, initialState: { model, tools: [tool] } });
  agent.subscribe((event) => {
    if (event.assistantMessageEvent?.type === "toolcall_delta") seen.partials++;
  });
  await agent.prompt("a");
  const { messages } = agent.state;
  seen.call = messages.find(({ role }) => role === "assistant")?.content[0];
  seen.result = messages.find(({ role }) => role === "toolResult");
  seen.end = messages.at(-1);
  return seen;
}

function checks(seen, deltas, again) {
  const args = () => seen.received[0]?.args;
  return {
    arguments: (expected) => assert.deepEqual(args(), expected),
    executes: (expected) =>
      assert.equal(seen.received.length, expected ? 1 : 0, seen.result && textOf(seen.result)),
    tool_result_is_error: (expected) => assert.equal(seen.result.isError, expected),
    error_contains(expected) {
      for (const word of expected) assert.match(textOf(seen.result), new RegExp(`\\b${word}\\b`));
    },
    raw_arguments(expected) {
      assert.equal(seen.call.argumentsText, expected);
      assert.equal(seen.received[0].exact.argumentsText, expected);
    },
    replayed_arguments_contain(expected) {
      for (const digits of expected) assert.ok(seen.bodies[1].includes(digits), digits);
    },
    // What is not exact as a number comes with its exact text.
    silent_rounding: (expected) => assert.equal(seen.call.argumentsText === undefined, expected),
    partial_never_throws() {
      assert.equal(seen.end.stopReason, "stop", seen.end.errorMessage);
      assert.ok(seen.partials >= deltas.length);
    },
    arguments_plain_object_deep() {
      const plain = (value) => {
        if (value === null || typeof value !== "object") return;
        assert.ok([Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)));
        Object.values(value).forEach(plain);
      };
      plain(args());
    },
    arguments_json: (expected) => assert.equal(JSON.stringify(args()), expected),
    variants_same: () => again(),
  };
}

export async function playArguments(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const schema = keys.get("schema");
  const strict = keys.get("strict", false);
  const deltas = keys.get("deltas");
  const given = keys.get("arguments");
  const variants = keys.get("variants", []);
  keys.done();
  const textOfArguments = (value) => [JSON.stringify(value)];
  const play = async (fragments, again) => {
    const seen = await callTool(host, schema, fragments, strict);
    const { variants_same: _, ...same } = expected;
    await judge(again ? expected : same, checks(seen, fragments, again));
  };
  await play(deltas ?? textOfArguments(given), async () => {
    for (const variant of variants) await play(deltas ? variant : textOfArguments(variant));
  });
}
