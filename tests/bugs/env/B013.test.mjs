// B013: in a background tab a stream stood still, because every chunk waited for a timer, which hidden tabs slow down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith, providerServer } from "./browser.mjs";

const delta = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x" } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;

test("B013 200 deltas arrive in a hidden page whose timers never fire", async () => {
  const provider = await providerServer((_request, response, headers) => {
    response.writeHead(200, headers);
    for (let count = 0; count < 200; count++) response.write(delta);
    response.end(END);
  });
  const { page, close } = await pageWith(`
    import { Agent, streamSimple } from "/dist/index.js";
    Object.defineProperty(document, "hidden", { value: true });
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    globalThis.ask = async (model) => {
      const agent = new Agent({ streamFn: streamSimple, initialState: { model }, getApiKey: () => "key" });
      let deltas = 0;
      agent.subscribe((event) => void (event.assistantMessageEvent?.type === "text_delta" && deltas++));
      const { setTimeout } = globalThis;
      globalThis.setTimeout = () => 0;
      try {
        await agent.prompt("hi");
      } finally {
        globalThis.setTimeout = setTimeout;
      }
      return { deltas, message: agent.state.messages.at(-1) };
    };
  `);
  try {
    await page.waitForFunction(() => globalThis.ask);
    const { deltas, message } = await page.evaluate((model) => globalThis.ask(model), provider.model);
    assert.equal(message.stopReason, "stop", message.errorMessage);
    assert.equal(deltas, 200);
    assert.equal(message.content[0].text.length, 200);
  } finally {
    await close();
    await provider.close();
  }
});
