// What an application keeps in its messages and cannot be written as JSON must not fail the requests after it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamProxy, streamSimple } from "steersman";
import { call, model as scriptedModel, toolOf } from "./scripted.mjs";

const cycle = { a: 1 };
cycle.self = cycle;
let deep = {};
for (let depth = 0; depth < 50_000; depth++) deep = { deep };
const unwritable = {
  "a BigInt": { rows: 5n },
  "a cycle": cycle,
  "a getter that throws": Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  }),
  "a toJSON that throws": {
    toJSON: () => {
      throw new Error("no");
    },
  },
  "many levels": deep,
};

const model = (api) => ({ ...scriptedModel, api, provider: "local", baseUrl: "http://127.0.0.1:1" });
const events = (list) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const answer = (delta, finish_reason) =>
  new Response(`${events([{ choices: [{ index: 0, delta, finish_reason }] }])}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });

for (const [name, details] of Object.entries(unwritable)) {
  test(`details of a tool with ${name}: the run and the next one go on, and the details stay`, async () => {
    const bodies = [];
    const fetch = async (_url, { body }) => {
      bodies.push(JSON.parse(new TextDecoder().decode(body)));
      if (bodies.length > 1) return answer({ content: "Done" }, "stop");
      const tool_calls = [
        { index: 0, id: "k1", type: "function", function: { name: "look", arguments: "{}" } },
      ];
      return answer({ tool_calls }, "tool_calls");
    };
    const look = toolOf("look");
    look.execute = async () => ({ content: [{ type: "text", text: "seen" }], details });
    const agent = new Agent({
      streamFn: (m, context, options) => streamSimple(m, context, { ...options, apiKey: "none", fetch }),
      initialState: { model: model("openai-completions"), tools: [look] },
    });
    await agent.prompt("look");
    await agent.prompt("and now?");
    assert.equal(agent.state.errorMessage, undefined);
    assert.deepEqual(
      bodies.map(({ messages }) => messages.map(({ role }) => role).join(" ")),
      ["user", "user assistant tool", "user assistant tool assistant user"],
    );
    assert.equal(agent.state.messages.find(({ role }) => role === "toolResult").details, details);
  });
}

/** The messages that a server gets. */
async function sent(api, messages, last) {
  let body;
  const fetch = async (_url, init) => {
    body = JSON.parse(new TextDecoder().decode(init.body));
    return new Response("no", { status: 400 });
  };
  const context = { messages: [...messages, last] };
  const stream =
    api === "proxy"
      ? streamProxy(model("x"), context, { authToken: "t", proxyUrl: "http://127.0.0.1:1", fetch })
      : streamSimple(model(api), context, { apiKey: "none", fetch });
  const { errorMessage } = await stream.result();
  return body ? body.context.messages : errorMessage;
}

test("pi's own protocols get details that are JSON, and messages without members that are none", async () => {
  const result = (details) => ({
    ...{ role: "toolResult", toolCallId: "k1", toolName: "look", content: [], isError: false, timestamp: 1 },
    details,
  });
  const asked = { role: "assistant", content: [call("k1", "look")], stopReason: "toolUse", timestamp: 1 };
  const user = { role: "user", content: "Hi", timestamp: 1, element: cycle };
  for (const api of ["pi-messages", "proxy"]) {
    const good = await sent(api, [asked, result({ rows: 5 })], { ...user, element: undefined });
    assert.deepEqual(good.at(-2).details, { rows: 5 }, api);
    const [, second, third] = (await sent(api, [asked, result({ rows: 5n })], user)).slice(-3);
    assert.deepEqual(second, JSON.parse(JSON.stringify(result())), api);
    assert.deepEqual(third, { role: "user", content: "Hi", timestamp: 1 }, api);
    const bad = await sent(api, [{ ...asked, content: [call("k1", "look", { rows: 5n })] }], user);
    assert.match(bad, /^The request cannot be written as JSON: .*BigInt/, api);
  }
});
