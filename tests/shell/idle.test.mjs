// The idle limit: a response that falls silent ends, whatever kind of stream function gave it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, isRetryable, streamSimple } from "steersman";
import { handmade } from "./handmade.mjs";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";
import { deferred, fakeTime, recorder, settled } from "./time.mjs";

const agentWith = (streamFn, more = {}) =>
  new Agent({ initialState: { model }, streamFn, limits: { idleMs: 300 }, ...more });
const last = (agent) => agent.state.messages.at(-1);

test("a stream that ignores its signal and never ends is left after the limit; what has come is kept", async (t) => {
  const time = fakeTime(t);
  const response = handmade();
  const agent = agentWith(response.streamFn);
  const { events, listener } = recorder();
  agent.subscribe(listener);
  let over = false;
  const run = agent.prompt("a").then(() => (over = true));
  await settled();
  response.push({ type: "start" });
  response.text("Hel");
  await time.pass(299);
  response.text("lo");
  await time.pass(299);
  assert.equal(over, false);
  await time.pass(1);
  await run;
  const message = last(agent);
  assert.equal(message.stopReason, "error");
  assert.equal(message.diagnostics[0].code, "stream_idle");
  assert.equal(isRetryable(message), true);
  assert.match(message.errorMessage, /timed out: nothing came for 300 ms \(limits\.idleMs\)/);
  assert.equal(textOf(message), "Hello");
  assert.equal(message.usage.input, 5);
  assert.equal(response.signal.aborted, true);
  assert.equal(response.signal.reason.code, "stream_idle");
  assert.equal(response.returned, 1);
  assert.deepEqual(events.slice(-3), ["message assistant", "turn_end", "agent_end"]);
  // What a stream writes that does not know that it is over, is not in the transcript.
  response.text(" world");
  response.finish();
  await settled();
  assert.equal(textOf(last(agent)), "Hello");
});

test("silence before the first event, in the stream function and in result() counts too", async (t) => {
  const time = fakeTime(t);
  const never = new Promise(() => {});
  const functions = [
    () => never,
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }), result: () => never }),
    () => ({ async *[Symbol.asyncIterator]() {}, result: () => never }),
  ];
  for (const streamFn of functions) {
    const agent = agentWith(streamFn);
    const run = agent.prompt("a");
    await time.pass(300);
    await run;
    assert.equal(last(agent).diagnostics[0].code, "stream_idle");
    await agent.waitForIdle();
  }
});

test("events that carry nothing do not break the silence", async (t) => {
  const time = fakeTime(t);
  const response = handmade();
  const agent = agentWith(response.streamFn);
  const run = agent.prompt("a");
  await settled();
  response.push({ type: "start" });
  for (let i = 0; i < 5; i++) {
    await time.pass(60);
    response.push({ type: i % 2 ? "ping" : "text_delta", contentIndex: 0, delta: "" });
  }
  await run;
  assert.equal(last(agent).diagnostics[0].code, "stream_idle");
});

test("the time of listeners and tools is not silence", async (t) => {
  const time = fakeTime(t);
  const response = handmade();
  const answers = scripted([[call("k", "slow")]]);
  let request = 0;
  const tool = deferred();
  const streamFn = (...args) => (request++ === 0 ? answers(...args) : response.streamFn(...args));
  const agent = agentWith(streamFn, { initialState: { model, tools: [toolOf("slow", () => tool.promise)] } });
  let hold;
  agent.subscribe((event) => (event.type === "message_update" ? hold?.promise : undefined));
  const run = agent.prompt("a");
  await time.pass(5000);
  tool.resolve("ok");
  await settled();
  response.push({ type: "start" });
  hold = deferred();
  response.text("a");
  await time.pass(5000);
  hold.resolve();
  hold = undefined;
  await time.pass(299);
  response.text("b");
  response.finish();
  await run;
  assert.equal(last(agent).stopReason, "stop");
  assert.equal(textOf(last(agent)), "ab");
});

test("an aborted run does not wait for a deaf stream longer than the limit, and ends as aborted", async (t) => {
  const time = fakeTime(t);
  const response = handmade();
  const agent = agentWith(response.streamFn);
  const run = agent.prompt("a");
  await settled();
  response.push({ type: "start" });
  response.text("a");
  await settled();
  agent.abort("enough");
  assert.equal(response.signal.reason, "enough");
  await time.pass(300);
  await run;
  assert.equal(last(agent).stopReason, "aborted");
  assert.equal(textOf(last(agent)), "a");
});

test("an answer in time is delivered as without a limit, and leaves no timer behind", async (t) => {
  const seen = [];
  for (const limits of [undefined, { idleMs: 300 }]) {
    const agent = new Agent({ initialState: { model }, streamFn: scripted(["hello"]), limits });
    const { events, listener } = recorder();
    agent.subscribe(listener);
    await agent.prompt("a");
    const { durationMs: _, ...message } = last(agent);
    seen.push({ events, message });
  }
  assert.deepEqual(seen[0], seen[1]);
  const clear = t.mock.method(globalThis, "clearTimeout");
  const set = t.mock.method(globalThis, "setTimeout");
  const throwing = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")) }),
    result: async () => assert.fail("not asked"),
  });
  for (const streamFn of [scripted(["hello"]), throwing]) {
    await agentWith(streamFn).prompt("a");
  }
  const cleared = new Set(clear.mock.calls.map((made) => made.arguments[0]));
  assert.ok(set.mock.calls.length > 0);
  for (const made of set.mock.calls) assert.ok(cleared.has(made.result));
});

test("a stream function that throws or gives nothing is no silence", async () => {
  const broken = [
    () => {
      throw new Error("boom");
    },
    async () => {
      throw new Error("boom");
    },
    () => undefined,
  ];
  for (const streamFn of broken) {
    const agent = agentWith(streamFn);
    await agent.prompt("a");
    assert.equal(last(agent).stopReason, "error");
    assert.equal(last(agent).diagnostics, undefined);
  }
});

test("steering that waits is kept for the next run", async (t) => {
  const time = fakeTime(t);
  const response = handmade();
  const agent = agentWith(response.streamFn);
  const run = agent.prompt("a");
  await settled();
  const receipt = agent.steer(user("S"));
  await time.pass(300);
  await run;
  assert.equal(receipt.status, "queued");
});

// --- The built-in transport

/** A server whose body a test writes by hand. */
function server() {
  const encoder = new TextEncoder();
  const asked = deferred();
  const made = { cancelled: 0, asked: asked.promise };
  let body;
  const fetch = async () => {
    asked.resolve();
    const stream = new ReadableStream({
      start: (controller) => void (body = controller),
      cancel: () => void made.cancelled++,
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  return Object.assign(made, {
    fetch,
    raw: (text) => body.enqueue(encoder.encode(text)),
    chunk: (delta, more = {}) =>
      body.enqueue(
        encoder.encode(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }], ...more.top })}\n\n`,
        ),
      ),
    end: () => body.close(),
  });
}

function overHttp(limits) {
  const http = server();
  const remote = { ...model, api: "openai-completions", baseUrl: "http://model.test/v1" };
  const agent = new Agent({
    initialState: { model: remote },
    streamFn: (m, context, options) =>
      streamSimple(m, context, { ...options, apiKey: "key", fetch: http.fetch }),
    limits,
  });
  return { agent, http };
}

test("over HTTP: pings do not keep a response alive; the body is cancelled and the usage so far is kept", async (t) => {
  const time = fakeTime(t);
  const { agent, http } = overHttp({ idleMs: 300 });
  const run = agent.prompt("a");
  await http.asked;
  await settled();
  http.chunk({ content: "Hel" }, { top: { usage: { prompt_tokens: 7, completion_tokens: 1 } } });
  await time.pass(200);
  http.chunk({ content: "lo" });
  for (let i = 0; i < 6; i++) {
    await time.pass(50);
    if (i < 5) http.raw(": ping\n\n");
  }
  await run;
  const message = last(agent);
  assert.deepEqual(
    [message.stopReason, message.diagnostics.map(({ code }) => code), textOf(message)],
    ["error", ["stream_idle"], "Hello"],
  );
  assert.equal(message.usage.input, 7);
  assert.equal(http.cancelled, 1);
  assert.deepEqual([agent.usage.run.requests, agent.usage.run.input], [1, 7]);
});

test("over HTTP: an answer in time is what it would be without a limit", async () => {
  const answers = [];
  for (const limits of [undefined, { idleMs: 300, maxTokens: 100 }]) {
    const { agent, http } = overHttp(limits);
    const { events, listener } = recorder();
    agent.subscribe(listener);
    const run = agent.prompt("a");
    await http.asked;
    await settled();
    http.chunk(
      { content: "Hello" },
      { finish_reason: "stop", top: { usage: { prompt_tokens: 7, completion_tokens: 1 } } },
    );
    http.raw("data: [DONE]\n\n");
    await run;
    const { timestamp: _, durationMs: __, ...message } = last(agent);
    answers.push({ events, message });
    if (limits) assert.deepEqual([agent.usage.run.input, agent.usage.run.output], [7, 1]);
  }
  assert.equal(answers[0].message.stopReason, "stop");
  assert.deepEqual(answers[1], answers[0]);
});
