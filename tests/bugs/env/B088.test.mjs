// B088: giving up the request object once the headers had come aborted the body that was still being read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sse } from "../../hostile/provider.mjs";
import { pageWith, providerServer } from "./browser.mjs";

const CHUNKS = 50;
const chunk = (i) => sse([{ choices: [{ index: 0, delta: { content: `${i};` } }] }], "");
const end = sse([{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }]);

test("B088 the body arrives to its end although garbage is collected between headers and chunks", async () => {
  let headersSent;
  const sent = new Promise((resolve) => {
    headersSent = resolve;
  });
  const provider = await providerServer((_request, response, headers) => {
    response.writeHead(200, headers);
    response.flushHeaders();
    headersSent(response);
  });
  const { page, problems, close } = await pageWith(`
    import { Agent, streamSimple } from "/dist/index.js";
    globalThis.run = async (model) => {
      let deltas = 0;
      const streamFn = (m, context, options) => streamSimple(m, context, { ...options, apiKey: "key" });
      const agent = new Agent({ streamFn, initialState: { model } });
      agent.subscribe((event) => { if (event.assistantMessageEvent?.type === "text_delta") deltas++; });
      await agent.prompt("a");
      const { stopReason, content } = agent.state.messages.at(-1);
      return { stopReason, deltas, text: content[0]?.text };
    };`);
  try {
    await page.waitForFunction(() => globalThis.run);
    const cdp = await page.context().newCDPSession(page);
    const ran = page.evaluate((model) => globalThis.run(model), provider.model);
    const response = await sent;
    await cdp.send("HeapProfiler.collectGarbage");
    for (let i = 0; i < CHUNKS; i++) {
      await new Promise((written) => response.write(chunk(i), written));
      if (i % 10 === 0) await cdp.send("HeapProfiler.collectGarbage");
    }
    response.end(end);
    const text = Array.from({ length: CHUNKS }, (_, i) => `${i};`).join("");
    assert.deepEqual(await ran, { stopReason: "stop", deltas: CHUNKS, text });
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await provider.close();
  }
});
