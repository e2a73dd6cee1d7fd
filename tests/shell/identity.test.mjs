// Whom requests are attributed to: only where a provider wants to know, and only when the application says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, DEFAULT_AGENT_IDENTITY, streamSimple } from "steersman";
import { chatModel, provider } from "../hostile/provider.mjs";

const openRouter = { ...chatModel, provider: "openrouter", baseUrl: "https://openrouter.ai/api/v1" };
const mine = { name: "My app", url: "https://app.test" };

/** The attribution headers of the first request, and the identity that the stream function got. */
async function sent(model, identity, headers) {
  const fetch = provider([[{ type: "text", text: "a" }]]);
  let given;
  const agent = new Agent({
    initialState: { model },
    streamFn: (m, context, options) => {
      given = options.identity;
      return streamSimple(m, context, { ...options, apiKey: "key", fetch, headers });
    },
    identity,
  });
  await agent.prompt("a");
  const all = new Headers(fetch.requests[0].init.headers);
  return { title: all.get("x-title"), referer: all.get("http-referer"), given };
}

test("nothing is sent unless the application sets an identity", async () => {
  assert.deepEqual(await sent(openRouter), { title: null, referer: null, given: undefined });
});

test("the application's attribution goes to OpenRouter, and nowhere else", async () => {
  const { title, referer, given } = await sent(openRouter, { attribution: mine });
  assert.deepEqual([title, referer, given], [mine.name, mine.url, { attribution: mine }]);
  const other = await sent(chatModel, { attribution: mine });
  assert.deepEqual([other.title, other.referer], [null, null]);
  const own = { ...chatModel, baseUrl: "https://openrouter.ai/api/v1" };
  assert.equal((await sent(own, { attribution: mine })).title, mine.name);
});

test("an identity without an attribution gets the package's own; null sends none", async () => {
  const { title, referer, given } = await sent(openRouter, { version: "1" });
  assert.equal(title, DEFAULT_AGENT_IDENTITY.attribution.name);
  assert.equal(referer, null);
  assert.deepEqual(given, { ...DEFAULT_AGENT_IDENTITY, version: "1" });
  assert.equal((await sent(openRouter, { attribution: null })).title, null);
});

test("headers of the model and of the request win", async () => {
  const model = { ...openRouter, headers: { "X-Title": "by the model" } };
  assert.equal((await sent(model, { attribution: mine })).title, "by the model");
  assert.equal(
    (await sent(model, { attribution: mine }, { "x-title": "by the request" })).title,
    "by the request",
  );
  assert.equal((await sent(openRouter, { attribution: mine }, { "X-Title": null })).title, null);
});
