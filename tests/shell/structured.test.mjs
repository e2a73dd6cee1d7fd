// Answers of a given form: every protocol is told in its own way, and what comes back is checked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { chatModel, chunksOf, sse } from "../hostile/provider.mjs";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const schema = {
  type: "object",
  properties: { city: { type: "string" }, population: { type: "integer" } },
  required: ["city", "population"],
  additionalProperties: false,
};

/** Events with their type as name. */
const events = (list) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** How each protocol is asked, and what its server says. */
const families = {
  "openai-completions": {
    asked: ({ response_format: format }) => ({
      schema: format.json_schema.schema,
      strict: format.json_schema.strict,
      type: format.type,
    }),
    expected: { schema, strict: true, type: "json_schema" },
    says: (text) => sse(chunksOf([{ type: "text", text }])),
  },
  "anthropic-messages": {
    asked: ({ output_config: { format } }) => format,
    expected: { type: "json_schema", schema },
    says: (text) =>
      events([
        { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ]),
  },
  "openai-responses": {
    asked: ({ text: { format } }) => ({ type: format.type, schema: format.schema, strict: format.strict }),
    expected: { type: "json_schema", schema, strict: true },
    says: (text) =>
      events([
        { type: "response.created", response: { id: "r" } },
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { type: "message", id: "i", content: [] },
        },
        { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "i", delta: text },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "message", id: "i", content: [{ type: "output_text", text }] },
        },
        { type: "response.completed", response: { id: "r", status: "completed" } },
      ]),
  },
  "google-generative-ai": {
    asked: ({ generationConfig: config }) => ({
      type: config.responseMimeType,
      schema: config.responseJsonSchema,
    }),
    expected: { type: "application/json", schema },
    says: (text) => sse([{ candidates: [{ content: { parts: [{ text }] }, finishReason: "STOP" }] }], ""),
  },
  "mistral-conversations": {
    asked: ({ response_format: format }) => ({ schema: format.json_schema.schema, type: format.type }),
    expected: { schema, type: "json_schema" },
    says: (text) => sse(chunksOf([{ type: "text", text }])),
  },
};

/** Asks for the form, gets this text. */
async function answer(text, { api = "openai-completions", responseSchema = schema } = {}) {
  let body;
  const fetch = async (_url, init) => {
    body = JSON.parse(new TextDecoder().decode(init.body));
    return new Response(families[api].says(text), { headers: { "content-type": "text/event-stream" } });
  };
  const options = { apiKey: "key", fetch, responseSchema };
  const stream = streamSimple({ ...chatModel, api }, { messages: [user("Where?")] }, options);
  const events = [];
  for await (const event of stream) events.push(event);
  return { body, events, message: await stream.result() };
}

for (const [api, { asked, expected }] of Object.entries(families)) {
  test(`${api}: the schema is asked for, and the value is there`, async () => {
    const { body, message, events } = await answer('{"city": "Oslo", "population": 717710}', { api });
    assert.deepEqual(asked(body), expected);
    assert.deepEqual(message.structured, { city: "Oslo", population: 717710 });
    assert.equal(message.stopReason, "stop");
    assert.equal(events.at(-1).type, "done");
  });
}

/** Where a protocol or host has no form for answers: how the tool is declared and demanded, and what the server says. */
const byTool = {
  "openai-completions": {
    asked: ({ tools, tool_choice }) => [tools[0].function.name, tools[0].function.parameters, tool_choice],
    choice: "required",
    says: (call) => sse(chunksOf([call])),
  },
  "anthropic-messages": {
    asked: ({ tools, tool_choice }) => [tools[0].name, tools[0].input_schema, tool_choice],
    choice: { type: "any" },
    says: ({ id, name, arguments: args }) =>
      events([
        { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id, name, input: {} } },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
        },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ]),
  },
  "openai-responses": {
    asked: ({ tools, tool_choice }) => [tools[0].name, tools[0].parameters, tool_choice],
    choice: "required",
    says: ({ id, name, arguments: args }) => {
      const item = { type: "function_call", id: "fc_1", call_id: id, name, arguments: JSON.stringify(args) };
      return events([
        { type: "response.created", response: { id: "r" } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: item.arguments },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id: "r", status: "completed" } },
      ]);
    },
  },
  "google-generative-ai": {
    asked: ({ tools, toolConfig }) => {
      const [{ name, parametersJsonSchema }] = tools[0].functionDeclarations;
      return [name, parametersJsonSchema, toolConfig.functionCallingConfig.mode];
    },
    choice: "ANY",
    says: ({ name, arguments: args }) =>
      sse(
        [{ candidates: [{ content: { parts: [{ functionCall: { name, args } }] }, finishReason: "STOP" }] }],
        "",
      ),
  },
  "mistral-conversations": {
    asked: ({ tools, tool_choice }) => [tools[0].function.name, tools[0].function.parameters, tool_choice],
    choice: "any",
    says: (call) => sse(chunksOf([call])),
  },
};

for (const [api, { asked, choice, says }] of Object.entries(byTool)) {
  test(`${api}: without a form for answers a tool takes it, and the answer is a text`, async () => {
    const bodies = [];
    const value = { city: "Oslo", population: 717710 };
    const answers = [
      says({ type: "toolCall", id: "call00001", name: "structured_answer", arguments: value }),
      families[api].says("Gladly."),
    ];
    const fetch = async (_url, { body }) => {
      bodies.push(JSON.parse(new TextDecoder().decode(body)));
      const headers = { "content-type": "text/event-stream" };
      return new Response(answers[bodies.length - 1], { headers });
    };
    const seen = [];
    const agent = new Agent({
      streamFn: (model, context, options) => streamSimple(model, context, { ...options, fetch }),
      getApiKey: () => "key",
      initialState: { model: { ...chatModel, api, compat: { supportsResponseSchema: false } } },
    });
    agent.subscribe(({ type, assistantMessageEvent }) => void seen.push(assistantMessageEvent?.type ?? type));
    await agent.prompt("Which city?", { responseSchema: schema });
    const [name, parameters, chosen] = asked(bodies[0]);
    assert.equal(name, "structured_answer");
    assert.deepEqual([Object.keys(parameters.properties), chosen], [["city", "population"], choice]);
    const answer = agent.state.messages.at(-1);
    assert.deepEqual([answer.stopReason, answer.structured], ["stop", value]);
    assert.deepEqual(answer.content, [{ type: "text", text: JSON.stringify(value) }]);
    assert.equal(
      seen.some((type) => /tool/i.test(type)),
      false,
      String(seen),
    );
    // The history has a plain text, which every protocol takes.
    await agent.prompt("Thanks!");
    assert.equal(agent.state.messages.at(-1).content[0].text, "Gladly.");
    assert.equal(JSON.stringify(bodies[1]).includes("structured_answer"), false);
    assert.equal(JSON.stringify(bodies[1]).includes("717710"), true);
  });
}

test("hosts and models that are known to take no schema get the tool; other tools may come first", async () => {
  const tools = [{ name: "look", description: "Looks", parameters: { type: "object", properties: {} } }];
  const deepseek = { api: "openai-completions", baseUrl: "https://api.deepseek.com" };
  for (const [model, given, byTool] of [
    [deepseek, [], true],
    [{ api: "google-generative-ai", id: "gemini-2.5-flash" }, tools, true],
    [{ api: "google-generative-ai", id: "gemini-2.5-flash" }, [], false],
    [{ api: "google-generative-ai", id: "gemini-3-pro" }, tools, false],
    [{ api: "openai-completions", provider: "deepseek", baseUrl: "https://proxy.example/v1" }, [], true],
    [{ api: "anthropic-messages", id: "claude-3-5-haiku-latest" }, tools, true],
    [{ api: "anthropic-messages", id: "claude-opus-4-0" }, tools, true],
    [{ api: "anthropic-messages", id: "claude-sonnet-4-20250514" }, tools, true],
    [{ api: "anthropic-messages", id: "claude-haiku-4-5" }, tools, false],
    [{ ...deepseek, compat: { supportsResponseSchema: true } }, [], false],
  ]) {
    let body;
    const fetch = async (_url, init) => {
      body = new TextDecoder().decode(init.body);
      return new Response("", { status: 400 });
    };
    const context = { messages: [user("Where?")], tools: given };
    await streamSimple({ ...chatModel, ...model }, context, {
      ...{ apiKey: "key", fetch, responseSchema: schema },
    }).result();
    assert.equal(body.includes("structured_answer"), byTool, JSON.stringify(model));
  }
});

test("what does not fit is an error that keeps the text", async () => {
  for (const [text, words] of [
    ["Oslo, I think", /^The answer is not the JSON that responseSchema asks for: /],
    ['{"city": "Oslo"}', /^The answer does not fit responseSchema:\n {2}- population: /],
    ['{"city": 1e400, "population": []}', /does not fit/],
    ["", /is not the JSON/],
  ]) {
    const { message, events } = await answer(text);
    assert.equal(message.stopReason, "error");
    assert.match(message.errorMessage, words);
    assert.equal(message.diagnostics[0].code, "protocol");
    assert.equal("structured" in message, false);
    assert.equal(message.content[0]?.text ?? "", text);
    assert.deepEqual(
      events.filter(({ type }) => type === "done" || type === "error"),
      [{ type: "error", reason: "error", error: message }],
    );
  }
});

test("near misses of models are converted; a block of code is opened", async () => {
  const { message } = await answer('```json\n{"city": "Oslo", "population": "717710"}\n```\n');
  assert.deepEqual(message.structured, { city: "Oslo", population: 717710 });
});

test("a schema that strict modes do not take is asked for without it", async () => {
  const loose = { type: "object", properties: { tags: { type: "object" } } };
  const { body, message } = await answer('{"tags": {"a": 1}}', { responseSchema: loose });
  assert.equal(body.response_format.json_schema.strict, false);
  assert.deepEqual(message.structured, { tags: { a: 1 } });
});

test("a Standard Schema says itself what is asked for; nonsense is refused before the request", async () => {
  const standard = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema },
    },
  };
  const { body } = await answer('{"city": "Oslo", "population": 1}', { responseSchema: standard });
  assert.deepEqual(body.response_format.json_schema.schema, schema);
  for (const nonsense of [7, null, "schema"]) {
    const { body: sent, message } = await answer("{}", { responseSchema: nonsense });
    assert.equal(sent, undefined);
    assert.deepEqual([message.stopReason, message.errorMessage], ["error", "responseSchema is no schema"]);
  }
});

test("an agent asks for it for one prompt; answers that call tools are left alone", async () => {
  const bodies = [];
  const answers = [
    [{ type: "toolCall", id: "k", name: "look", arguments: {} }],
    [{ type: "text", text: '{"city": "Oslo", "population": 1}' }],
    [{ type: "text", text: "Anything." }],
  ];
  const fetch = async (_url, { body }) => {
    bodies.push(JSON.parse(new TextDecoder().decode(body)));
    const text = sse(chunksOf(answers[bodies.length - 1]));
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  const look = {
    ...{ name: "look", label: "Look", description: "Looks it up", parameters: {} },
    execute: async () => ({ content: [{ type: "text", text: "Oslo, 1" }], details: {} }),
  };
  const agent = new Agent({
    streamFn: (model, context, options) => streamSimple(model, context, { ...options, fetch }),
    getApiKey: () => "key",
    initialState: { model: chatModel, tools: [look] },
  });
  await agent.prompt("Which city?", { responseSchema: schema });
  assert.deepEqual(agent.state.messages.at(-1).structured, { city: "Oslo", population: 1 });
  await agent.prompt("And now?");
  assert.deepEqual(
    bodies.map(({ response_format: format }) => format !== undefined),
    [true, true, false],
  );
  assert.equal("structured" in agent.state.messages.at(-1), false);
});
