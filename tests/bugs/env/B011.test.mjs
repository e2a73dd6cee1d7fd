// B011: hiding and showing the tab closed the stream and sent the request again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith, providerServer } from "./browser.mjs";

const delta = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;

test("B011 a page that is hidden and shown goes on with its one request", async () => {
  let requests = 0;
  const provider = await providerServer((_request, response, headers) => {
    requests++;
    response.writeHead(200, headers).write("retry: 100\n\n");
    let next = 0;
    const timer = setInterval(() => {
      response.write(delta(String(next)));
      if (++next < 10) return;
      clearInterval(timer);
      response.end(END);
    }, 50);
  });
  const { page, close } = await pageWith(`
    import { Agent, streamSimple } from "/dist/index.js";
    const show = (hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    };
    globalThis.ask = async (model) => {
      const agent = new Agent({ streamFn: streamSimple, initialState: { model }, getApiKey: () => "key" });
      let deltas = 0;
      agent.subscribe((event) => {
        if (event.assistantMessageEvent?.type !== "text_delta") return;
        deltas++;
        if (deltas === 3) show(true);
        if (deltas === 5) show(false);
      });
      await agent.prompt("hi");
      return { deltas, message: agent.state.messages.at(-1) };
    };
  `);
  try {
    await page.waitForFunction(() => globalThis.ask);
    const { deltas, message } = await page.evaluate((model) => globalThis.ask(model), provider.model);
    assert.equal(message.stopReason, "stop", message.errorMessage);
    assert.equal(message.content[0].text, "0123456789");
    assert.ok(deltas >= 5, "it was hidden and shown");
    assert.equal(requests, 1);
  } finally {
    await close();
    await provider.close();
  }
});
