// Repetitions of a request and models to fall back to: only before content, each announced, keys to their providers only.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, runAgentLoop, streamSimple } from "steersman";
import { chatModel, chunksOf, sse } from "../hostile/provider.mjs";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const text = (words) => sse(chunksOf([{ type: "text", text: words }]));
const ok =
  (body = text("hi")) =>
  () =>
    new Response(body, { headers: { "content-type": "text/event-stream" } });
const refuse =
  (status, message = "busy", headers = {}) =>
  () =>
    new Response(JSON.stringify({ error: { message } }), { status, headers });
const lost = () => {
  throw new TypeError("Failed to fetch");
};

/** A `fetch` that gives these answers in turn and keeps what it was asked. */
function server(...answers) {
  const requests = [];
  const fetch = async (url, { headers, body }) => {
    requests.push({
      url: String(url),
      headers: new Headers(headers),
      body: JSON.parse(new TextDecoder().decode(body)),
    });
    return answers[requests.length - 1]();
  };
  return { fetch, requests };
}

const other = {
  ...chatModel,
  id: "other",
  provider: "elsewhere",
  baseUrl: "http://other.test/v1",
  cost: { input: 1e6, output: 1e6, cacheRead: 0, cacheWrite: 0 },
};

/** Runs one prompt; `soon` makes servers ask for a wait of one millisecond. */
async function converse(answers, { agent: options, stream } = {}) {
  const { fetch, requests } = server(...answers);
  const events = [];
  const agent = new Agent({
    streamFn: (model, context, given) => streamSimple(model, context, { ...given, fetch, ...stream }),
    getApiKey: (provider) => `key-of-${provider}`,
    initialState: { model: chatModel },
    ...options,
  });
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("go");
  return { events, requests, message: agent.state.messages.at(-1), agent };
}
const soon = { "retry-after-ms": "1" };
const types = (events) => events.map(({ type }) => type);

test("each repetition is announced before its wait, and the answer is one message", async () => {
  const { events, requests, message } = await converse(
    [refuse(503, "one", soon), refuse(429, "two", soon), ok()],
    { agent: { maxRetries: 2 } },
  );
  assert.equal(requests.length, 3);
  assert.deepEqual(requests[2].body, requests[0].body);
  const announced = events.filter(({ type }) => type === "request_retry");
  assert.deepEqual(announced, [
    { type: "request_retry", attempt: 1, maxRetries: 2, delayMs: 1, reason: '503: {"message":"one"}' },
    { type: "request_retry", attempt: 2, maxRetries: 2, delayMs: 1, reason: '429: {"message":"two"}' },
  ]);
  assert.deepEqual(types(events).slice(2, 7), [
    "message_start",
    "message_end",
    "request_retry",
    "request_retry",
    "message_start",
  ]);
  assert.equal(message.stopReason, "stop");
  assert.equal(message.diagnostics, undefined);
});

test("without maxRetries nothing is repeated and nothing announced", async () => {
  const { events, requests, message } = await converse([refuse(503)]);
  assert.equal(requests.length, 1);
  assert.ok(!types(events).includes("request_retry"));
  assert.equal(message.stopReason, "error");
});

test("a failure that will not pass, or comes after content, is not repeated", async () => {
  for (const answers of [
    [refuse(400)],
    [refuse(401)],
    [ok(text("begun").replace(/data: \[DONE\][^]*$|"stop"/g, "null"))],
  ]) {
    const { requests, message } = await converse(answers, {
      agent: { maxRetries: 3, fallbackModels: [other] },
    });
    assert.equal(requests.length, 1);
    assert.equal(message.stopReason, "error");
    assert.equal(message.model, "m");
  }
});

test("the wait is what the words of the failure ask for where headers are hidden", async () => {
  for (const [words, delayMs] of [
    ['{"@type": "RetryInfo", "retryDelay": "0.002s"}', 2],
    ["Rate limit reached. Please try again in 3ms.", 3],
    ["Please try again in 0.004s. Visit the page", 4],
  ]) {
    const { events } = await converse([refuse(429, words), ok()], { agent: { maxRetries: 1 } });
    assert.equal(events.find(({ type }) => type === "request_retry").delayMs, delayMs);
  }
  const { message, requests } = await converse([refuse(429, "Please try again in 7m12.5s.")], {
    agent: { maxRetries: 1, maxRetryDelayMs: 1000 },
  });
  assert.equal(requests.length, 1);
  assert.match(message.errorMessage, /^Server requested 433s retry delay \(max: 1s\)\. 429/);
});

test("an abort ends the wait", async () => {
  const agent = new Agent({
    streamFn: (model, context, given) =>
      streamSimple(model, context, {
        ...given,
        fetch: server(refuse(503, "x", { "retry-after": "50" })).fetch,
      }),
    getApiKey: () => "key",
    maxRetries: 1,
    initialState: { model: chatModel },
  });
  agent.subscribe(({ type }) => void (type === "request_retry" && agent.abort()));
  await agent.prompt("go");
  assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
});

test("iterating over a response leaves announcements out; a low-level run has them", async () => {
  const asked = server(lost, ok());
  const options = { apiKey: "key", maxRetries: 1, fetch: asked.fetch };
  const seen = [];
  for await (const event of streamSimple(chatModel, { messages: [user("go")] }, options))
    seen.push(event.type);
  assert.deepEqual(seen, ["start", "text_start", "text_delta", "text_end", "done"]);
  assert.equal(asked.requests.length, 2);
  const events = [];
  const again = server(lost, ok());
  await runAgentLoop(
    [user("go")],
    { systemPrompt: "", messages: [], tools: [] },
    { model: chatModel, convertToLlm: (messages) => messages, maxRetries: 1 },
    (event) => void events.push(event),
    undefined,
    (model, context, given) => streamSimple(model, context, { ...given, apiKey: "key", fetch: again.fetch }),
  );
  assert.equal(types(events).filter((type) => type === "request_retry").length, 1);
});

test("the next model answers with the key of its own provider, and the message says who did", async () => {
  const { requests, message } = await converse([refuse(529, "overloaded"), ok()], {
    agent: { fallbackModels: [other] },
    stream: { headers: { authorization: "Bearer secret", "x-trace": "1" } },
  });
  assert.deepEqual(
    requests.map(({ url }) => url),
    ["http://model.test/v1/chat/completions", "http://other.test/v1/chat/completions"],
  );
  assert.equal(requests[0].headers.get("authorization"), "Bearer secret");
  assert.equal(requests[1].headers.get("authorization"), "Bearer key-of-elsewhere");
  assert.equal(requests[1].headers.get("x-trace"), "1");
  assert.equal(requests[1].body.model, "other");
  assert.deepEqual([message.model, message.provider, message.stopReason], ["other", "elsewhere", "stop"]);
  assert.deepEqual(
    message.diagnostics.map(({ timestamp: _, ...diagnostic }) => diagnostic),
    [
      {
        type: "fallback",
        code: "overloaded",
        error: { message: '529: {"message":"overloaded"}', code: "overloaded" },
        details: { provider: "local", model: "m" },
      },
    ],
  );
});

test("repetitions come first, for each model; a wait that is too long goes on at once", async () => {
  const { requests, events, message } = await converse(
    [refuse(503, "a", soon), refuse(503, "b", soon), refuse(503, "c", soon), ok()],
    { agent: { maxRetries: 1, fallbackModels: [other] } },
  );
  assert.deepEqual(
    requests.map(({ body }) => body.model),
    ["m", "m", "other", "other"],
  );
  assert.equal(types(events).filter((type) => type === "request_retry").length, 2);
  assert.equal(message.diagnostics.length, 1);
  const long = await converse([refuse(503, "a", { "retry-after": "600" }), ok()], {
    agent: { maxRetries: 1, fallbackModels: [{ model: other, apiKey: "own" }] },
  });
  assert.equal(long.requests[1].headers.get("authorization"), "Bearer own");
  assert.ok(!types(long.events).includes("request_retry"));
});

test("when all fail, the last failure counts and the others are named", async () => {
  const third = { ...chatModel, id: "third" };
  const { message, requests } = await converse([lost, refuse(500, "b"), refuse(503, "c")], {
    agent: { fallbackModels: [other, third] },
  });
  assert.equal(requests[2].headers.get("authorization"), "Bearer key-of-local");
  assert.deepEqual(
    [message.model, message.stopReason, message.errorMessage],
    ["third", "error", '503: {"message":"c"}'],
  );
  assert.deepEqual(
    message.diagnostics.map(({ type, details }) => [type, details?.model]),
    [
      ["error", undefined],
      ["fallback", "m"],
      ["fallback", "other"],
    ],
  );
});

test("a fallback without a key ends with a message that says whose is missing", async () => {
  const { message, requests } = await converse([refuse(503)], {
    agent: { fallbackModels: [other], getApiKey: (provider) => (provider === "local" ? "key" : undefined) },
  });
  assert.equal(requests.length, 1);
  assert.deepEqual(
    [message.stopReason, message.errorMessage],
    ["error", "No API key for provider: elsewhere"],
  );
  assert.equal(message.diagnostics[0].code, "auth");
});
