// Parameters that cannot be told to a model: the error names the tool and the place, wherever it is met.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, runToolCall, streamProxy, streamSimple } from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";
import { model as scriptedModel, scripted, toolOf, user } from "./scripted.mjs";

const model = {
  ...scriptedModel,
  api: "openai-completions",
  provider: "local",
  baseUrl: "http://127.0.0.1:1",
};
const cycle = { type: "object", properties: { a: { type: "object" } } };
cycle.properties.a.properties = { b: cycle };
const place = (path) => new RegExp(`^The parameters of tool "look" cannot be written as JSON: ${path}: `);
const none = /^Tool "look" has no parameters\. An empty JSON Schema is \{\}\.$/;

const unwritable = {
  "a cycle": [cycle, place("properties\\.a\\.properties\\.b")],
  "a BigInt": [
    { properties: { n: { anyOf: [{}, { maximum: 5n }] } } },
    place("properties\\.n\\.anyOf\\.1\\.maximum"),
  ],
  "a getter that throws": [
    {
      get properties() {
        throw new Error("no");
      },
    },
    place("properties"),
  ],
};
const noSchema = {
  "a function": [() => ({}), none],
  "a toJSON without a value": [{ toJSON: () => undefined }, none],
  "a date": [new Date(0), none],
  "a list": [[], none],
};

const refused = (message) => (error) => {
  assert.equal(error.code, "invalid_request");
  assert.match(error.message, message);
  return true;
};

for (const [name, [parameters, message]] of Object.entries({ ...unwritable, ...noSchema })) {
  test(`parameters with ${name}: refused when the agent is made and when they come later`, async () => {
    const tool = toolOf("look", undefined, { parameters });
    const streamFn = scripted(["fine"]);
    assert.throws(() => new Agent({ streamFn, initialState: { model, tools: [tool] } }), refused(message));
    const agent = new Agent({ streamFn, initialState: { model } });
    agent.state.tools = [tool];
    await agent.prompt("go");
    assert.match(agent.state.errorMessage, message);
    // And without it the agent goes on.
    agent.state.tools = [];
    await agent.prompt("go");
    assert.equal(agent.state.errorMessage, undefined);
  });
}

for (const [name, [parameters, message]] of Object.entries(unwritable)) {
  test(`parameters with ${name}: no request and no call without their name`, async () => {
    const tool = toolOf("look", undefined, { parameters });
    const context = { messages: [user("go")], tools: [tool] };
    const direct = await streamSimple(model, context, { apiKey: "key" }).result();
    assert.match(direct.errorMessage, message);
    const proxied = await streamProxy(model, context, { authToken: "t", proxyUrl: model.baseUrl }).result();
    assert.match(proxied.errorMessage, message);
    const old = new OldAgent({
      streamFn: (m, c, options) => streamSimple(m, c, { ...options, apiKey: "key" }),
      initialState: { model, tools: [tool] },
    });
    await old.prompt("go");
    assert.match(old.state.errorMessage, message);
    const call = { type: "toolCall", id: "1", name: "look", arguments: {} };
    const { result } = await runToolCall(call, { context, assistantMessage: {} });
    assert.match(result.content[0].text, message);
  });
}

test("a request names the place of what cannot be written, however deep it lies", async () => {
  const deep = {};
  for (let depth = 0, at = deep; depth < 50_000; depth++) at = at.deep = {};
  for (const [metadata, where] of [
    [{ user: 5n }, /: options\.metadata\.user: /],
    [deep, /: options\.metadata\.deep\.deep/],
  ]) {
    const said = await streamSimple(model, { messages: [user("go")] }, { apiKey: "key", metadata }).result();
    assert.match(said.errorMessage, /^The request cannot be written as JSON/);
    assert.match(said.errorMessage, where);
  }
});

test("a schema that validates by itself is told as JSON Schema by requests without an agent too", async () => {
  const parameters = {
    "~standard": {
      vendor: "own",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => ({ type: "object", properties: { q: { type: "string" } } }) },
    },
  };
  const bodies = [];
  const fetch = async (_url, { body }) => {
    bodies.push(JSON.parse(new TextDecoder().decode(body)));
    return new Response("no", { status: 400 });
  };
  const context = { messages: [user("go")], tools: [toolOf("look", undefined, { parameters })] };
  await streamSimple(model, context, { apiKey: "key", fetch }).result();
  await streamProxy(model, context, { authToken: "t", proxyUrl: model.baseUrl, fetch }).result();
  const { properties } = parameters["~standard"].jsonSchema.input();
  assert.deepEqual(bodies[0].tools[0].function.parameters.properties, properties);
  assert.deepEqual(bodies[1].context.tools[0].parameters.properties, properties);
});
