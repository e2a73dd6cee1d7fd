// Tools: how they are declared to the model, the tool() helper, schemas that validate by themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, getCurrentSystemMessage, getCurrentTools, tool } from "steersman";
import { call, model, scripted, toolOf } from "./scripted.mjs";

const systemMessages = (agent) => agent.state.messages.filter((message) => message.role === "system");

test("tools are declared once; only what changes is declared again", async () => {
  const streamFn = scripted(["1", "2", "3"]);
  const agent = new Agent({
    initialState: { model, systemPrompt: "p", tools: [toolOf("a"), toolOf("b")] },
    streamFn,
  });
  await agent.prompt("x");
  await agent.prompt("y");
  assert.equal(systemMessages(agent).length, 1);

  agent.state.tools = [toolOf("b", undefined, { description: "another b" }), toolOf("c")];
  await agent.prompt("z");
  const change = systemMessages(agent)[1];
  assert.deepEqual(
    change.toolsAdded.map((t) => t.name),
    ["b", "c"],
  );
  assert.deepEqual(
    change.toolsRemoved.map((t) => t.name),
    ["a", "b"],
  );
  assert.deepEqual(
    getCurrentTools(agent.state.messages).map((t) => [t.name, t.description]),
    [
      ["b", "another b"],
      ["c", "c"],
    ],
  );
});

test("a stored transcript needs no new declaration, a reset keeps one", async () => {
  const tools = [toolOf("a")];
  const first = new Agent({ initialState: { model, systemPrompt: "p", tools }, streamFn: scripted(["1"]) });
  await first.prompt("x");
  const messages = JSON.parse(JSON.stringify(first.state.messages));
  const second = new Agent({ initialState: { model, tools, messages }, streamFn: scripted(["2"]) });
  await second.prompt("y");
  assert.equal(systemMessages(second).length, 1);
  second.reset();
  assert.deepEqual(second.state.messages, [getCurrentSystemMessage(messages)]);
});

test("replaying system messages gives instructions, sections and tools of the moment", () => {
  const declared = (name) => ({ name, description: name, parameters: {} });
  const messages = [
    {
      role: "system",
      content: "A",
      sections: { s: "one", t: "two" },
      toolsAdded: [declared("x")],
      timestamp: 5,
    },
    { role: "notice", text: "not for the model" },
    {
      role: "system",
      content: [{ type: "text", text: "B" }],
      sections: { s: null, u: "three" },
      timestamp: 6,
    },
    { role: "system", content: "", toolsRemoved: [{ name: "x" }], toolsAdded: [declared("y")], timestamp: 7 },
  ];
  assert.deepEqual(getCurrentSystemMessage(messages), {
    ...{ role: "system", content: "A\n\nB", timestamp: 5 },
    sections: { t: "two", u: "three" },
    toolsAdded: [declared("y")],
  });
  assert.equal(getCurrentSystemMessage([{ role: "user" }]), undefined);
});

test("tool() fills in the label and refuses what cannot work", () => {
  const made = tool({
    name: "t",
    description: "",
    parameters: {},
    execute: async () => ({ content: [], details: 1 }),
  });
  assert.equal(made.label, "t");
  assert.throws(() => tool({ name: "", execute() {} }), { code: "invalid_request" });
  assert.throws(() => tool({ name: "t" }), /"t" has no execute function/);
});

/** A schema object as Zod and others make them: it validates by itself and can describe itself. */
const city = (describe) => ({
  "~standard": {
    ...{ version: 1, vendor: "example" },
    validate: (value) =>
      typeof value.city === "string"
        ? { value: { city: value.city.trim() } }
        : { issues: [{ message: "a city is needed", path: ["city"] }] },
    ...(describe && {
      jsonSchema: { input: () => ({ type: "object", properties: { city: { type: "string" } } }) },
    }),
  },
});

test("a Standard Schema is declared as JSON Schema and validates by itself", async () => {
  const got = [];
  const weather = tool({
    ...{ name: "weather", description: "", parameters: city(true) },
    execute: async (_id, args) => {
      got.push(args);
      return { content: [], details: {} };
    },
  });
  const answers = [[call("k1", "weather", { city: " Bern " }), call("k2", "weather", { city: 3 })], "end"];
  const agent = new Agent({ initialState: { model, tools: [weather] }, streamFn: scripted(answers) });
  await agent.prompt("x");
  assert.deepEqual(agent.state.messages[0].toolsAdded, [
    {
      name: "weather",
      description: "",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  ]);
  assert.deepEqual(got, [{ city: "Bern" }]);
  const [good, bad] = agent.state.messages.filter((message) => message.role === "toolResult");
  assert.deepEqual([good.isError, bad.isError], [false, true]);
  assert.match(bad.content[0].text, / {2}- city: a city is needed/);
});

test("a tool without a usable schema is refused by name when the agent is made", () => {
  const streamFn = scripted([]);
  const withParameters = (parameters) => () =>
    new Agent({ initialState: { model, tools: [toolOf("weather", undefined, { parameters })] }, streamFn });
  assert.throws(withParameters(city(false)), {
    code: "invalid_request",
    message: /"weather" are a example schema/,
  });
  assert.throws(withParameters(undefined), {
    code: "invalid_request",
    message: /"weather" has no parameters/,
  });
});
