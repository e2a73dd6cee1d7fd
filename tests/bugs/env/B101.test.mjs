// B101: the place an agent ran in was killed in mid-stream; state was lost, and the view stayed `generating` for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith, providerServer } from "./browser.mjs";

const script = `
import { Agent, streamSimple } from "/dist/index.js";
import { IndexedDbStore, Session } from "/dist/session.js";
globalThis.start = async (model) => {
  const streamFn = (m, context, options) => streamSimple(m, context, { ...options, apiKey: "key" });
  globalThis.agent = new Agent({ streamFn, initialState: { model } });
  globalThis.session = await Session.open({ agent, store: new IndexedDbStore({ id: "B101", database: "B101" }) });
  let deltas = 0;
  agent.subscribe(({ type, assistantMessageEvent }) => {
    if (type === "message_update" && assistantMessageEvent.type === "text_delta" && ++deltas === 5) fifth?.();
  });
  return session.role;
};
const textOf = ({ content }) => typeof content === "string" ? content : content.map(({ text }) => text).join("");
globalThis.state = () => ({
  messages: agent.state.messages.map((message) => [message.role, textOf(message)]),
  streaming: agent.state.isStreaming,
});
`;
const chunk = (choice) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;

test("B101 a page that is killed in mid-stream leaves a session that is read, idle and goes on", async () => {
  let requests = 0;
  const provider = await providerServer((_request, response, headers) => {
    response.writeHead(200, headers);
    const hangs = ++requests === 2;
    for (let at = 0; at < (hangs ? 5 : 2); at++)
      response.write(chunk({ delta: { content: `${requests}.${at} ` } }));
    if (!hangs) response.end(`${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
  });
  const { page: first, url, close } = await pageWith(script);
  try {
    const context = first.context();
    let reached = () => {};
    const fifth = new Promise((resolve) => {
      reached = resolve;
    });
    await first.exposeFunction("fifth", reached);
    await first.waitForFunction(() => globalThis.state && globalThis.fifth);
    assert.equal(await first.evaluate((model) => start(model), provider.model), "writer");
    await first.evaluate(() => session.prompt("one"));
    await first.evaluate(() => void session.prompt("two"));
    await fifth;
    const crashed = new Promise((resolve) => first.once("crash", resolve));
    const cdp = await context.newCDPSession(first);
    cdp.send("Page.crash").catch(() => {});
    await crashed;

    const second = await context.newPage();
    await second.exposeFunction("fifth", () => {});
    await second.goto(url);
    await second.waitForFunction(() => globalThis.state);
    assert.equal(await second.evaluate((model) => start(model), provider.model), "writer");
    const found = await second.evaluate(() => state());
    assert.deepEqual(found, {
      messages: [
        ["user", "one"],
        ["assistant", "1.0 1.1 "],
        ["user", "two"],
      ],
      streaming: false,
    });
    await second.evaluate(() => session.prompt("three"));
    const after = await second.evaluate(() => state());
    assert.deepEqual(after.messages.slice(3), [
      ["user", "three"],
      ["assistant", "3.0 3.1 "],
    ]);
  } finally {
    await close();
    await provider.close();
  }
});
