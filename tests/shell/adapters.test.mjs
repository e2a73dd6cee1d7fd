// Models inside the page as stream functions: generators, wllama, the browser's own model. The wllama of these tests is
// a stand-in with wllama's chunks (the real one runs in tests/e2e); the Prompt API has no free implementation at all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool } from "steersman";
import { fromGenerator } from "steersman/adapters/generator";
import { promptApi, promptApiAvailability, promptApiModel } from "steersman/adapters/prompt-api";
import { chatMessages, fromWllama } from "steersman/adapters/wllama";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const clock = tool({
  name: "clock",
  label: "Clock",
  description: "Tells the time",
  parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  execute: async (_id, { zone }) => ({ content: [{ type: "text", text: `noon in ${zone}` }], details: {} }),
});

async function eventsOf(stream) {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
}
const types = (events) => events.map(({ type }) => type);

test("pieces of a generator become blocks, calls run, results go back to it", async () => {
  const asked = [];
  const agent = new Agent({
    streamFn: fromGenerator(async function* (_model, { messages }, options) {
      asked.push(messages.at(-1).role);
      assert.ok(options.signal);
      if (asked.length === 1) {
        yield { thinking: "Hm. " };
        yield { thinking: "The clock." };
        yield "Let me ";
        yield { text: "look." };
        yield { toolCall: { name: "clock", arguments: { zone: "Oslo" } } };
        yield { toolCall: { id: "c2", name: "clock", arguments: '{"zone": "Rome"}' } };
        yield { usage: { input: 5, output: 7 } };
      } else yield "Noon.";
    }),
    initialState: { model: promptApiModel, systemPrompt: "Be brief.", tools: [clock] },
  });
  await agent.prompt("What time is it?");
  assert.deepEqual(asked, ["user", "toolResult"]);
  const [, , first, oslo, rome, last] = agent.state.messages;
  assert.deepEqual(
    first.content.map(({ type, text, thinking, arguments: args }) => [type, text ?? thinking ?? args]),
    [
      ["thinking", "Hm. The clock."],
      ["text", "Let me look."],
      ["toolCall", { zone: "Oslo" }],
      ["toolCall", { zone: "Rome" }],
    ],
  );
  assert.ok(first.content[2].id);
  assert.equal(first.content[3].id, "c2");
  assert.equal(first.stopReason, "toolUse");
  assert.equal(first.usage.totalTokens, 12);
  assert.deepEqual([oslo.content[0].text, rome.content[0].text], ["noon in Oslo", "noon in Rome"]);
  assert.equal(last.content[0].text, "Noon.");
  assert.equal(agent.usage.total.known, false);
});

test("what a generator throws keeps what it had said; a wrong piece is named", async () => {
  const failing = fromGenerator(function* () {
    yield "so far";
    throw new Error("out of ink");
  });
  const events = await eventsOf(failing(promptApiModel, { messages: [] }));
  assert.deepEqual(types(events), ["start", "text_start", "text_delta", "error"]);
  const { error } = events.at(-1);
  assert.deepEqual(
    [error.content[0].text, error.errorMessage, error.stopReason],
    ["so far", "out of ink", "error"],
  );
  for (const piece of [null, 7, {}, { txt: "a" }]) {
    const wrong = await fromGenerator(() => [piece])(promptApiModel, { messages: [] }).result();
    assert.match(wrong.errorMessage, /^The generator yielded .*: expected a string/);
    assert.equal(wrong.diagnostics[0].code, "protocol");
  }
  const cut = await fromGenerator(() => ["a", { stop: "length" }])(promptApiModel, { messages: [] }).result();
  assert.equal(cut.stopReason, "length");
});

test("an abort ends the answer though the generator does not notice, and lets go of it", async () => {
  let left = false;
  const deaf = fromGenerator(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => (left ? { done: true } : new Promise(() => {})),
      return: async () => {
        left = true;
        return { done: true };
      },
    }),
  }));
  const abort = new AbortController();
  const stream = deaf(promptApiModel, { messages: [] }, { signal: abort.signal });
  abort.abort();
  const message = await stream.result();
  assert.deepEqual([message.stopReason, message.errorMessage], ["aborted", "Request was aborted"]);
  assert.ok(left);
});

const chunk = (delta, finish_reason = null, more = {}) => ({ choices: [{ delta, finish_reason }], ...more });

test("wllama: the conversation goes in as chat messages, its chunks come out as blocks", async () => {
  const params = [];
  const read = [];
  const engine = {
    async createChatCompletion(given) {
      params.push(given);
      if (params.length === 1) {
        given.onData({ choices: [], prompt_progress: { processed: 3, total: 9 } });
        given.onData(chunk({ tool_calls: [{ id: "k", function: { name: "clock", arguments: '{"zo' } }] }));
        given.onData(chunk({ tool_calls: [{ function: { arguments: 'ne":"Oslo"}' } }] }));
        given.onData(chunk({}, "tool_calls", { timings: { prompt_n: 4, cache_n: 2, predicted_n: 3 } }));
      } else {
        given.onData(chunk({ content: "No" }));
        given.onData(chunk({ content: "on." }));
        given.onData(chunk({}, "stop"));
      }
    },
  };
  const agent = new Agent({
    streamFn: fromWllama(engine, { maxTokens: 50, onRead: (...counts) => read.push(counts) }),
    initialState: { model: promptApiModel, systemPrompt: "Be brief.", tools: [clock] },
  });
  await agent.prompt("What time is it?");
  assert.deepEqual(read, [[3, 9]]);
  assert.equal(params[0].max_tokens, 50);
  assert.equal(params[0].tools[0].function.name, "clock");
  assert.deepEqual(params[1].messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "What time is it?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "k", type: "function", function: { name: "clock", arguments: '{"zone":"Oslo"}' } }],
    },
    { role: "tool", content: "noon in Oslo", tool_call_id: "k" },
  ]);
  const answers = agent.state.messages.filter(({ role }) => role === "assistant");
  assert.deepEqual(
    answers.map(({ stopReason, usage }) => [stopReason, usage.totalTokens]),
    [
      ["toolUse", 9],
      ["stop", 0],
    ],
  );
  assert.equal(answers[1].content[0].text, "Noon.");
});

test("wllama: not loaded, broken, stopped and silent ends are messages", async () => {
  const end = async (engine, signal) =>
    (await fromWllama(engine)(promptApiModel, { messages: [user("a")] }, { signal })).result();
  assert.equal((await end(() => undefined)).errorMessage, "The model is not loaded yet.");
  const broken = { createChatCompletion: async () => Promise.reject(new Error("out of memory")) };
  assert.equal((await end(broken)).errorMessage, "out of memory");
  const silent = await end({ createChatCompletion: async () => {} });
  assert.deepEqual([silent.stopReason, silent.diagnostics[0].code], ["error", "stream_truncated"]);
  assert.equal((await end(broken, AbortSignal.abort())).stopReason, "aborted");
});

test("failed answers and empty texts stay out of the chat", () => {
  const assistant = (content) => ({ role: "assistant", content });
  assert.deepEqual(
    chatMessages({
      systemPrompt: "S",
      messages: [
        user([{ type: "text", text: "a" }, { type: "image" }]),
        assistant([]),
        assistant([{ type: "text", text: "b" }]),
      ],
    }),
    [
      { role: "system", content: "S" },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ],
  );
});

/** A Prompt API that answers with these texts and keeps what it was given. */
function fakeApi(...answers) {
  const sessions = [];
  return {
    sessions,
    availability: async () => "available",
    async create(options) {
      const session = { options, destroyed: 0 };
      sessions.push(session);
      return {
        promptStreaming(input, given) {
          Object.assign(session, { input, given });
          const pieces = answers[sessions.length - 1];
          return new ReadableStream({
            start(controller) {
              for (const piece of pieces) controller.enqueue(piece);
              controller.close();
            },
          });
        },
        destroy: () => session.destroyed++,
      };
    },
  };
}

test("Prompt API: text streams, the history is the session, and the session is given back", async () => {
  const api = fakeApi(["Hel", "lo."]);
  const messages = [user("a"), { role: "assistant", content: [{ type: "text", text: "b" }] }, user("c")];
  const events = await eventsOf(promptApi({ api })(promptApiModel, { systemPrompt: "S", messages }));
  assert.deepEqual(types(events), ["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
  const [session] = api.sessions;
  assert.deepEqual(session.options.initialPrompts, [
    { role: "system", content: "S" },
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ]);
  assert.deepEqual(session.input, [{ role: "user", content: "c" }]);
  assert.equal(session.given.responseConstraint, undefined);
  assert.equal(session.destroyed, 1);
});

test("Prompt API: with tools the answer is a text or a call", async () => {
  const api = fakeApi(
    ['{"tool": "clock", ', '"arguments": {"zone": "Oslo"}}'],
    ['{"text": "Noon."}'],
    ["plain"],
  );
  const agent = new Agent({
    streamFn: promptApi({ api }),
    initialState: { model: promptApiModel, systemPrompt: "Be brief.", tools: [clock] },
  });
  await agent.prompt("What time is it?");
  const [first, second] = api.sessions;
  assert.equal(first.given.responseConstraint.anyOf[1].properties.tool.const, "clock");
  assert.match(first.options.initialPrompts[0].content, /^Be brief\.\n\n.*- clock: Tells the time/s);
  assert.deepEqual(second.input, [{ role: "user", content: "Result of the tool: noon in Oslo" }]);
  assert.equal(agent.state.messages.at(-1).content[0].text, "Noon.");
  await agent.prompt("And now?");
  assert.equal(agent.state.messages.at(-1).content[0].text, "plain");
});

test("Prompt API: where it is missing, the answer says so", async () => {
  assert.equal(await promptApiAvailability(), "unavailable");
  const without = await promptApi()(promptApiModel, { messages: [user("a")] }).result();
  assert.match(
    without.errorMessage,
    /^The built-in model is not available here: this browser has no Prompt API/,
  );
  assert.equal(without.diagnostics[0].code, "unsupported");
  const unable = { ...fakeApi(), availability: async () => "unavailable" };
  const refused = await promptApi({ api: unable })(promptApiModel, { messages: [user("a")] }).result();
  assert.match(refused.errorMessage, /cannot run it/);
});
