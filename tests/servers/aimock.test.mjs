// Whole runs against a mock server made by others, in every protocol it speaks.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { Agent, isRetryable, streamSimple } from "steersman";
import { families, modelOf } from "./families.mjs";

const greeting = "Hello! This comes in pieces: café, 日本語, 🙂👩‍👩‍👧.";
const long = "This reply stops in the middle, for the server ends it after a few pieces.";
const weather = { city: "Paris", note: 'café 🙂 "quoted"' };
const limited = {
  error: { message: "Rate limit reached", type: "rate_limit_error", code: "rate_limit_exceeded" },
  status: 429,
  retryAfter: 0.05,
};

let mock;
before(async () => {
  mock = new LLMock({ port: 0, logLevel: "silent", chunkSize: 7 });
  mock.on({ userMessage: "hello" }, { content: greeting });
  mock.on(
    { userMessage: "both", hasToolResult: false },
    {
      content: "Let me look.",
      toolCalls: [
        { name: "get_weather", arguments: weather },
        { name: "get_time", arguments: { city: "Tokyo" } },
      ],
    },
  );
  mock.on({ userMessage: "both", hasToolResult: true }, { content: "21 degrees, 9 o'clock." });
  mock.on(
    { userMessage: "weather", hasToolResult: false },
    { toolCalls: [{ name: "get_weather", arguments: weather }] },
  );
  mock.on({ userMessage: "weather", hasToolResult: true }, { content: "It is 21 degrees." });
  mock.on({ userMessage: "think" }, { reasoning: "A short answer will do.", content: "Forty-two." });
  mock.on({ userMessage: "length" }, { content: "cut by length", finishReason: "length" });
  mock.on({ userMessage: "cut" }, { content: long }, { truncateAfterChunks: 6, latency: 5 });
  mock.on({ userMessage: "slow" }, { content: "word ".repeat(400) }, { latency: 5 });
  mock.on({ userMessage: "busy", sequenceIndex: 0 }, limited);
  mock.on({ userMessage: "busy", sequenceIndex: 1 }, limited);
  mock.on({ userMessage: "busy" }, { content: "Here I am." });
  mock.on({ userMessage: "limit" }, limited);
  const overloaded = { error: { message: "Overloaded", type: "overloaded_error" }, status: 529 };
  mock.on({ userMessage: "overload" }, overloaded);
  mock.on({ userMessage: "malformed" }, { content: "x" }, { chaos: { malformedRate: 1 } });
  mock.on({ userMessage: "drop" }, { content: "x" }, { chaos: { dropRate: 1 } });
  mock.on({ userMessage: "gone" }, { content: "x" }, { chaos: { disconnectRate: 1 } });
  await mock.start();
});
afterEach(() => {
  mock.clearRequests();
  mock.resetMatchCounts();
});
after(() => mock.stop());

const tool = (name, answer, calls) => ({
  ...{ name, label: name, description: name },
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: async (_id, args) => {
    calls.push([name, args]);
    return { content: [{ type: "text", text: answer }], details: {} };
  },
});

/** An agent of one protocol that notes what happens. */
function agentOf(api, more) {
  const calls = [];
  const events = [];
  const agent = new Agent({
    streamFn: streamSimple,
    getApiKey: () => "test-key",
    initialState: {
      model: modelOf(api, mock.url),
      systemPrompt: "Answer.",
      tools: [tool("get_weather", "21 degrees", calls), tool("get_time", "9:00", calls)],
      ...more?.initialState,
    },
    ...more?.options,
  });
  agent.subscribe((event) => void events.push(event));
  return { agent, calls, events };
}

const textOf = ({ content }) =>
  content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
const transcript = (agent) => agent.state.messages.filter(({ role }) => role !== "system");
const last = (agent) => agent.state.messages.at(-1);
const asked = () => mock.getRequests();

async function prompt(api, text, more) {
  const made = agentOf(api, more);
  await made.agent.prompt(text);
  return { ...made, message: last(made.agent) };
}

for (const api of families) {
  describe(api, () => {
    test("text comes in pieces and whole", async () => {
      const { message, events } = await prompt(api, "hello");
      assert.equal(message.stopReason, "stop", message.errorMessage);
      assert.equal(textOf(message), greeting);
      const deltas = events
        .filter(({ assistantMessageEvent: event }) => event?.type === "text_delta")
        .map(({ assistantMessageEvent: { delta } }) => delta);
      assert.ok(deltas.length > 3);
      assert.equal(deltas.join(""), greeting);
    });

    test("a tool call goes round", async () => {
      const { agent, message, calls } = await prompt(api, "weather");
      assert.equal(message.stopReason, "stop", message.errorMessage);
      assert.deepEqual(calls, [["get_weather", weather]]);
      assert.equal(textOf(message), "It is 21 degrees.");
      assert.deepEqual(
        transcript(agent).map(({ role }) => role),
        ["user", "assistant", "toolResult", "assistant"],
      );
      assert.equal(transcript(agent)[1].stopReason, "toolUse");
      assert.equal(asked().length, 2);
      assert.match(JSON.stringify(asked()[1].body), /21 degrees/);
    });

    test("parallel calls both go round, in order", async () => {
      const { agent, message, calls } = await prompt(api, "both");
      assert.equal(message.stopReason, "stop", message.errorMessage);
      assert.deepEqual(calls, [
        ["get_weather", weather],
        ["get_time", { city: "Tokyo" }],
      ]);
      const ids = transcript(agent)[1].content.filter(({ type }) => type === "toolCall");
      assert.equal(new Set(ids.map(({ id }) => id)).size, 2);
      assert.deepEqual(
        transcript(agent)
          .slice(2, 4)
          .map(({ toolCallId, content }) => [toolCallId, content[0].text]),
        ids.map(({ id }, index) => [id, ["21 degrees", "9:00"][index]]),
      );
      assert.equal(textOf(message), "21 degrees, 9 o'clock.");
    });

    test("reasoning stands apart, and a conversation with it goes on", async () => {
      const { agent, message } = await prompt(api, "think", { initialState: { thinkingLevel: "low" } });
      assert.deepEqual(
        message.content.map((block) => [block.type, block.thinking ?? block.text]),
        [
          ["thinking", "A short answer will do."],
          ["text", "Forty-two."],
        ],
      );
      await agent.prompt("hello");
      assert.equal(textOf(last(agent)), greeting);
    });

    test("an answer that is too long says so", async () => {
      const { message } = await prompt(api, "length");
      assert.deepEqual([message.stopReason, textOf(message)], ["length", "cut by length"]);
    });

    test("429: waits as long as the server says, and asks again", async () => {
      const { message, events } = await prompt(api, "busy", { options: { maxRetries: 3 } });
      assert.equal(textOf(message), "Here I am.");
      const waits = events.filter(({ type }) => type === "request_retry");
      assert.deepEqual(
        waits.map(({ attempt, delayMs }) => [attempt, delayMs]),
        [
          [1, 50],
          [2, 50],
        ],
      );
      for (const { reason } of waits) assert.match(reason, /429.*Rate limit reached/);
      assert.equal(asked().length, 3);
    });

    for (const [what, code, words] of [
      ["limit", "rate_limited", /Rate limit reached/],
      ["overload", "overloaded", /Overloaded/],
      ["malformed", "protocol", /malformed json/],
      ["drop", "http", /request dropped/],
      ["gone", "network", /./],
    ]) {
      test(`${what}: an error with the code ${code}`, async () => {
        const { message } = await prompt(api, what);
        assert.equal(message.stopReason, "error");
        assert.equal(message.diagnostics[0].code, code, message.errorMessage);
        assert.match(message.errorMessage, words);
        assert.equal(isRetryable(message), code !== "protocol", message.errorMessage);
        assert.equal(asked().length, 1);
      });
    }

    test("529, and the next model answers", async () => {
      const spare = { model: { ...modelOf(api, mock.url), id: "spare" } };
      mock.prependFixture({ match: { model: "spare" }, response: { content: "I can." } });
      const { message } = await prompt(api, "overload", { options: { fallbackModels: [spare] } });
      assert.deepEqual([textOf(message), message.model], ["I can.", "spare"]);
      assert.equal(message.diagnostics[0].code, "overloaded");
    });

    test("a stream that is cut is no answer, and what came is kept", async () => {
      const { message } = await prompt(api, "cut");
      assert.equal(message.stopReason, "error");
      assert.ok(["network", "stream_truncated"].includes(message.diagnostics[0].code));
      assert.ok(textOf(message).length > 0 && long.startsWith(textOf(message)), textOf(message));
    });

    test("abort() ends it in the middle", async () => {
      const { agent } = agentOf(api);
      agent.subscribe(({ assistantMessageEvent: event }) => {
        if (event?.type === "text_delta") agent.abort();
      });
      await agent.prompt("slow");
      assert.equal(last(agent).stopReason, "aborted");
      assert.match(textOf(last(agent)), /^word/);
    });
  });
}
