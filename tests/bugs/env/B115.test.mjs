// B115: streaming panicked in the browser, because the retry path asked a clock that wasm does not have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sse } from "../../hostile/provider.mjs";
import { pageWith, providerServer } from "./browser.mjs";

const call = { index: 0, id: "k1", type: "function", function: { name: "t", arguments: "{}" } };
const answer = (choice) => sse([{ choices: [{ index: 0, ...choice }] }]);
const script = `
import { Agent, streamSimple } from "/dist/index.js";
export async function run(model) {
  const streamFn = (m, context, options) =>
    streamSimple(m, context, { ...options, apiKey: "key", maxRetries: 1 });
  const tool = {
    name: "t", label: "t", description: "t", parameters: { type: "object", properties: {} },
    execute: () => new Promise(() => {}),
  };
  const limits = { toolMs: 50, idleMs: 60000 };
  const agent = new Agent({ streamFn, limits, initialState: { model, tools: [tool] } });
  await agent.prompt("a");
  const { stopReason, errorMessage, timestamp } = agent.state.messages.at(-1);
  const result = agent.state.messages.find(({ role }) => role === "toolResult");
  return { stopReason, errorMessage, code: result?.details.code, dated: timestamp > 1e12 };
}`;
const hosts = {
  page: `import { run } from "/run.js"; globalThis.run = run;`,
  "dedicated worker": `
    const worker = new Worker("/worker.js", { type: "module" });
    globalThis.run = (model) => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
      worker.postMessage(model);
    });`,
  "service worker": `
    globalThis.run = async (model) => {
      await navigator.serviceWorker.register("/service.js", { type: "module" });
      const { active } = await navigator.serviceWorker.ready;
      const { port1, port2 } = new MessageChannel();
      active.postMessage(model, [port2]);
      return new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
    };`,
};
const files = {
  "/run.js": script,
  "/worker.js": `import { run } from "/run.js"; onmessage = async ({ data }) => postMessage(await run(data));`,
  "/service.js": `
    import { run } from "/run.js";
    addEventListener("message", (event) =>
      event.waitUntil(run(event.data).then((result) => event.ports[0].postMessage(result))));`,
};

for (const [name, page] of Object.entries(hosts)) {
  test(`B115 a retry and a tool limit work in a ${name}`, async () => {
    const answers = [
      (response, headers) =>
        response
          .writeHead(500, { ...headers, "retry-after-ms": "1", "content-type": "text/plain" })
          .end("oops"),
      (response, headers) =>
        response
          .writeHead(200, headers)
          .end(answer({ delta: { tool_calls: [call] }, finish_reason: "tool_calls" })),
      (response, headers) =>
        response.writeHead(200, headers).end(answer({ delta: { content: "end" }, finish_reason: "stop" })),
    ];
    let requests = 0;
    const provider = await providerServer((_request, response, headers) =>
      answers[requests++](response, headers),
    );
    const { page: opened, close } = await pageWith(page, files);
    try {
      await opened.waitForFunction(() => globalThis.run);
      const result = await opened.evaluate((model) => globalThis.run(model), provider.model);
      assert.deepEqual(result, {
        stopReason: "stop",
        errorMessage: undefined,
        code: "tool_timeout",
        dated: true,
      });
      // Two attempts of the first request, and the one after the tool.
      assert.equal(requests, 3);
    } finally {
      await close();
      await provider.close();
    }
  });
}
