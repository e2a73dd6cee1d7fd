// A brain of the user's own: any OpenAI-compatible endpoint, here a mock server and servers that misbehave.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { ask, choose, click, converse, idle, listen, said, startDemo, texts } from "./demo.mjs";

let demo;
let page;
let mock;
before(async () => {
  mock = new LLMock({ port: 0, logLevel: "silent" });
  mock.on({ userMessage: "hello", hasToolResult: false }, { content: "Hello from the **mock**." });
  mock.on(
    { userMessage: "teal", hasToolResult: false },
    { toolCalls: [{ name: "set_color", arguments: { color: "Teal" } }] },
  );
  mock.on({ userMessage: "teal", hasToolResult: true }, { content: "It is teal." });
  mock.on(
    { userMessage: "mauve", hasToolResult: false },
    { toolCalls: [{ name: "set_color", arguments: { color: "mauve" } }] },
  );
  mock.on({ userMessage: "mauve", hasToolResult: true }, { content: "There is no mauve." });
  mock.on({ userMessage: "reason" }, { content: "Forty-two.", reasoning: "Six times seven." });
  mock.on({ userMessage: "slow" }, { content: "word ".repeat(2000) }, { latency: 20, chunkSize: 5 });
  await mock.start();
  demo = await startDemo();
});
beforeEach(async () => {
  page = await demo.open();
});
afterEach(async () => {
  mock.clearRequests();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
after(async () => {
  await demo?.close();
  await mock?.stop();
});

/** Fills in the form and uses the endpoint. */
async function connect(baseUrl, { key = "", model = "test-model", remember = false } = {}) {
  await choose(page, "endpoint");
  await page.fill("[name=base-url]", baseUrl);
  await page.fill("[name=model]", model);
  await page.fill("[name=key]", key);
  await page.setChecked("[name=remember]", remember);
  await click(page, "Use this endpoint");
}

const answer = async () => (await said(page)).at(-1)[1];
const failure = async () => ({
  title: await page.locator(".failure-title").textContent(),
  details: await page.locator(".failure-details").textContent(),
});

test("text, with the key in the request", async () => {
  await connect(`${mock.url}/v1`, { key: "sk-secret" });
  await converse(page, "hello");
  assert.equal(await answer(), "Hello from the mock.");
  const request = mock.getLastRequest();
  assert.equal(request.path, "/v1/chat/completions");
  assert.equal(request.body.model, "test-model");
  assert.deepEqual(request.body.tools.map((tool) => tool.function.name).sort(), [
    "get_time",
    "save_file",
    "set_color",
  ]);
});

test("a whole address is cut to the base URL", async () => {
  await connect(`${mock.url}/v1/chat/completions/`);
  assert.equal(await page.inputValue("[name=base-url]"), `${mock.url}/v1`);
  await converse(page, "hello");
  assert.equal(await answer(), "Hello from the mock.");
});

test("a tool call goes round: the page changes, the result goes back, the answer comes", async () => {
  await connect(`${mock.url}/v1`);
  await converse(page, "teal please");
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "done");
  assert.equal(await answer(), "It is teal.");
  const hue = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--hue"));
  assert.equal(hue, "195");
  const { messages } = mock.getLastRequest().body;
  assert.deepEqual(
    messages.slice(-2).map(({ role }) => role),
    ["assistant", "tool"],
  );
  assert.equal(messages.at(-1).content, "The page is teal now.");
  assert.equal(messages.at(-1).tool_call_id, messages.at(-2).tool_calls[0].id);
});

test("arguments that do not fit the schema become an error for the model", async () => {
  await connect(`${mock.url}/v1`);
  await converse(page, "mauve please");
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  assert.match(await page.locator(".tool-result").textContent(), /color/);
  assert.equal(await answer(), "There is no mauve.");
});

test("reasoning is folded away", async () => {
  await connect(`${mock.url}/v1`);
  await converse(page, "reason");
  assert.equal(await page.locator(".thinking p").textContent(), "Six times seven.");
  assert.equal(await page.locator(".thinking p").isVisible(), false);
  assert.equal(await answer(), "Forty-two.");
});

test("usage is shown", async () => {
  await connect(`${mock.url}/v1`);
  await converse(page, "hello");
  assert.match(
    await page.locator(".facts").textContent(),
    /test-model · \d+ tokens in, \d+ out · [\d.]+ m?s/,
  );
  for (const cell of await page.locator(".usage td").allTextContents()) {
    assert.match(cell, /^1 request, \d+ tokens$/);
  }
  // After a reload the conversation has not become cheaper.
  const [, before] = await texts(page, ".usage td");
  await page.reload();
  await page.waitForSelector(".message.assistant");
  assert.deepEqual(await texts(page, ".usage td"), ["nothing yet", before]);
});

test("401: about the key", async () => {
  await connect(`${mock.url}/v1`, { key: "wrong" });
  mock.nextRequestError(401, { message: "Incorrect API key provided", type: "invalid_request_error" });
  await converse(page, "hello");
  assert.equal((await failure()).title, "The endpoint did not accept the key");
  assert.match((await failure()).details, /Incorrect API key provided/);
  await click(page, "Try again");
  await idle(page);
  assert.equal(await answer(), "Hello from the mock.");
  assert.equal(await page.locator(".failure").count(), 0);
});

test("429: wait and try again", async () => {
  await connect(`${mock.url}/v1`);
  mock.nextRequestError(429, { message: "Rate limit reached", type: "rate_limit_error" });
  await converse(page, "hello");
  assert.equal((await failure()).title, "Too many requests");
  await click(page, "Try again");
  await idle(page);
  assert.equal(await answer(), "Hello from the mock.");
});

/** An endpoint that says the beginning of an answer and then what `end` does to the response, when it is told to. */
async function beginning() {
  let response;
  const chunk = { choices: [{ index: 0, delta: { content: "This answer is" } }] };
  const server = await listen((request, made) => {
    response = made;
    const allow = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    response.writeHead(200, { "content-type": "text/event-stream", ...allow });
    if (request.method === "OPTIONS") response.end();
    else response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  });
  return { ...server, end: (how) => how(response) };
}

// A reset discards what the browser has not read yet, so it comes when the page shows the beginning.
for (const [what, how] of [
  ["without its end", (response) => response.end()],
  ["by a lost connection", (response) => response.destroy()],
]) {
  test(`a stream cut ${what} is not taken for an answer, and what came is kept`, async () => {
    const server = await beginning();
    await connect(`${server.url}/v1`);
    await ask(page, "cut");
    await page.waitForFunction(() => document.querySelector(".prose")?.textContent === "This answer is");
    server.end(how);
    await idle(page);
    assert.equal(await answer(), "This answer is");
    assert.equal((await failure()).title, "The answer was cut off");
    await server.close();
  });
}

test("Stop in the middle of a real stream", async () => {
  await connect(`${mock.url}/v1`);
  await ask(page, "slow");
  await page.waitForFunction(() => document.querySelector(".prose")?.textContent.length > 20);
  await click(page, "Stop");
  await idle(page);
  assert.equal(await page.locator(".failure-title").textContent(), "Stopped");
  assert.match(await answer(), /^word word/);
});

test("a web page in place of a stream: the address is wrong", async () => {
  const server = await listen((_request, response) => {
    response.writeHead(200, {
      "content-type": "text/html",
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*",
    });
    response.end("<!doctype html><title>Welcome</title>");
  });
  await connect(`${server.url}/v1`);
  await converse(page, "hello");
  assert.equal((await failure()).title, "That was not an answer of a chat endpoint");
  await server.close();
});

test("nobody there", async () => {
  const server = await listen(() => {});
  await server.close();
  await connect(`${server.url}/v1`);
  await converse(page, "hello");
  assert.equal((await failure()).title, "The endpoint could not be reached");
});

test("a silent stream waits, and Stop ends it and the connection", async () => {
  let closed;
  const gone = new Promise((resolve) => {
    closed = resolve;
  });
  const server = await listen((request, response) => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    response.writeHead(200, { "content-type": "text/event-stream", ...cors });
    response.write(": nothing yet\n\n");
    response.on("close", closed);
  });
  await connect(`${server.url}/v1`);
  const answering = page.waitForResponse((response) => response.request().method() === "POST");
  await ask(page, "hello");
  await answering;
  await page.press("#message", "Escape");
  await idle(page);
  await gone;
  assert.equal(await page.locator(".failure-title").textContent(), "Stopped");
  await server.close();
});

test("ten thousand nested brackets in tool arguments end as an error result", async () => {
  const deep = `{"color":${"[".repeat(10_000)}`;
  const server = await listen((request, response) => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const again = JSON.parse(body).messages.some(({ role }) => role === "tool");
      const call = {
        index: 0,
        id: "deep",
        type: "function",
        function: { name: "set_color", arguments: deep },
      };
      const delta = again ? { content: "Too deep." } : { tool_calls: [call] };
      const chunk = (choice) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream", ...cors });
      response.end(
        `${chunk({ delta })}${chunk({ delta: {}, finish_reason: again ? "stop" : "tool_calls" })}data: [DONE]\n\n`,
      );
    });
  });
  await connect(`${server.url}/v1`);
  await converse(page, "hello");
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  assert.equal(await answer(), "Too deep.");
  await server.close();
});

test("a provider of the list: address and models are filled in, and an answer has its price", async () => {
  await choose(page, "endpoint");
  await page.fill("[name=key]", "sk-of-another");
  await page.selectOption("[name=provider]", "anthropic");
  assert.equal(await page.inputValue("[name=base-url]"), "https://api.anthropic.com");
  assert.equal(await page.inputValue("[name=key]"), "", "a key is for one provider only");
  await page.waitForFunction(() => document.querySelectorAll("#models option").length > 0);
  const models = await page.$$eval("#models option", (options) => options.map(({ value }) => value));
  assert.ok(models.includes("claude-haiku-4-5"));
  const paths = [];
  const server = await listen((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    const usage = { input_tokens: 1000, output_tokens: 1 };
    const events = [
      { type: "message_start", message: { id: "m", usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Aye." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 200 } },
      { type: "message_stop" },
    ];
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  });
  await connect(server.url, { key: "sk-secret", model: "claude-haiku-4-5" });
  await converse(page, "hello");
  assert.equal(await answer(), "Aye.");
  assert.equal(paths.at(-1), "POST /v1/messages");
  assert.match(
    await page.locator(".message.assistant").last().textContent(),
    /claude-haiku-4-5 · 1000 tokens in, 200 out · \$0\.0020 · /,
  );
  await server.close();
});

test("a server is asked for its models, and says why when it cannot be", async () => {
  const server = await listen((request, response) => {
    response.writeHead(200, { "access-control-allow-origin": "*", "access-control-allow-headers": "*" });
    response.end(JSON.stringify({ data: [{ id: "one" }, { id: `two ${request.url}` }] }));
  });
  await choose(page, "endpoint");
  await page.fill("[name=base-url]", `${server.url}/v1`);
  await click(page, "List the models");
  await page.waitForSelector("#models option", { state: "attached" });
  const models = await page.$$eval("#models option", (options) => options.map(({ value }) => value));
  assert.deepEqual(models, ["one", "two /v1/models"]);
  await server.close();
  await click(page, "List the models");
  await page.waitForSelector(".settings .problem");
  assert.match(await page.locator(".settings .problem").textContent(), /^Could not reach 127\.0\.0\.1/);
});

test("wrong input is explained, and nothing is sent", async () => {
  await connect("api.example.com/v1");
  assert.match(await page.locator(".problem").textContent(), /must begin with http/);
  await connect(`${mock.url}/v1`, { model: " " });
  assert.match(await page.locator(".problem").textContent(), /Which model/);
  await ask(page, "hello");
  assert.equal(await page.inputValue("#message"), "hello", "the message stays until it can be sent");
  assert.equal(mock.getRequests().length, 0);
});

test("the key stays in memory unless it is to be remembered, and can be forgotten", async () => {
  const stored = () =>
    page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
  await connect(`${mock.url}/v1`, { key: "sk-secret" });
  await converse(page, "hello");
  assert.ok(!(await stored()).includes("sk-secret"));
  assert.equal(await page.getByRole("button", { name: "Forget", exact: true }).isVisible(), false);

  await connect(`${mock.url}/v1`, { key: "sk-secret", remember: true });
  assert.ok((await stored()).includes("sk-secret"));
  await page.reload();
  await choose(page, "endpoint");
  assert.equal(await page.inputValue("[name=key]"), "sk-secret");
  await converse(page, "hello");
  assert.equal(await answer(), "Hello from the mock.");

  await click(page, "Forget");
  assert.ok(!(await stored()).includes("sk-secret"));
  assert.equal(await page.inputValue("[name=key]"), "");
});

test("a conversation goes on with another brain", async () => {
  await converse(page, "What time is it?");
  await connect(`${mock.url}/v1`);
  await converse(page, "hello again");
  assert.deepEqual(
    [...new Set(await texts(page, ".message.assistant .speaker"))],
    ["Scripted demo", "Your endpoint"],
  );
  const roles = mock.getLastRequest().body.messages.map(({ role }) => role);
  assert.deepEqual(roles.slice(-5), ["user", "assistant", "tool", "assistant", "user"]);
});
