// B154: the key was sent on to wherever a provider's redirect leads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { discoverModels } from "steersman/models";
import { RemoteStore } from "steersman/stores";
import { pageWith, providerServer } from "./browser.mjs";

const KEY = "sk-secret-1234567890";
const families = ["openai-completions", "anthropic-messages", "google-generative-ai"];

let other;
let provider;
let calls = 0;
const leaked = [];

before(async () => {
  other = await providerServer((request, response, headers) => {
    if (JSON.stringify([request.url, request.headers]).includes(KEY)) leaked.push(request.url);
    response.writeHead(200, headers).end("data: [DONE]\n\n");
  });
  provider = await providerServer((_request, response, headers) => {
    calls++;
    response.writeHead(307, { ...headers, location: `${other.model.baseUrl}/elsewhere` }).end();
  });
});
after(() => Promise.all([other.close(), provider.close()]));

function judge({ stopReason, errorMessage }) {
  assert.equal(stopReason, "error");
  assert.match(errorMessage, /answered with a redirect/);
  assert.ok(!errorMessage.includes(KEY));
  assert.deepEqual(leaked, []);
}

for (const api of families) {
  test(`B154 ${api}: a redirect to another server does not get the key`, async () => {
    const before = calls;
    const model = { ...provider.model, api };
    const agent = new Agent({ streamFn: streamSimple, getApiKey: () => KEY, initialState: { model } });
    await agent.prompt("hi");
    assert.equal(calls, before + 1);
    judge(agent.state.messages.at(-1));
  });
}

test("B154 a list of models, and a session on a server", async () => {
  const { baseUrl } = provider.model;
  const headers = { "x-api-key": KEY };
  await assert.rejects(discoverModels(baseUrl, { apiKey: KEY, headers }), {
    code: "invalid_request",
    message: /answered with a redirect/,
  });
  const store = new RemoteStore(`${baseUrl}/session`, { id: "s", headers });
  const before = calls;
  await assert.rejects(store.header(), { code: "failed" });
  assert.equal(calls, before + 1);
  assert.deepEqual(leaked, []);
});

test("B154 the same in a page", async () => {
  const { page, close } = await pageWith(`
    import { Agent, streamSimple } from "/dist/index.js";
    globalThis.ask = async (model, key) => {
      const agent = new Agent({ streamFn: streamSimple, getApiKey: () => key, initialState: { model } });
      await agent.prompt("hi");
      return agent.state.messages.at(-1);
    };
  `);
  try {
    await page.waitForFunction(() => globalThis.ask);
    for (const api of families) {
      const before = calls;
      const model = { ...provider.model, api };
      judge(await page.evaluate(([model, key]) => globalThis.ask(model, key), [model, KEY]));
      assert.equal(calls, before + 1);
    }
  } finally {
    await close();
  }
});
