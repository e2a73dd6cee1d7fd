// A key reaches the provider in a header and nobody else: not the address, not events, messages, errors and what caused
// them, not the console, not a copy of the state, in clear or encoded. For every wire, every way to fail and every place
// that a key may come from.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { Agent, streamProxy, streamSimple } from "steersman";
import { MemoryStore, Session } from "steersman/session";
import { root } from "../../scripts/common.mjs";
import { chatModel } from "../hostile/provider.mjs";

const families = readdirSync(join(root, "fixtures/wires"));
/** Every encoding of it looks different, and so does every part that is worth having. */
const KEY = "sk-Marked/4Xq+7Zw=9Rt_Secret~Lm8Pv";
const base64 = (text) => Buffer.from(text).toString("base64");
const url64 = (text) => Buffer.from(text).toString("base64url");

/** Base64 of a longer text that has the key in it: what all such texts have in common, for each place it may begin at. */
const within64 = [0, 1, 2].map((shift) => {
  const text = base64(" ".repeat(shift) + KEY);
  return text.slice(shift === 0 ? 0 : 4, Math.floor((KEY.length + shift) / 3) * 4);
});

/** What must not be found. */
const traces = [
  KEY,
  KEY.slice(0, 12),
  encodeURIComponent(KEY),
  encodeURIComponent(KEY).slice(0, 14),
  ...within64,
  ...within64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
];

function assertClean(what, where) {
  for (const trace of traces)
    assert.ok(!what.includes(trace), `${where} has ${trace}: ${around(what, trace)}`);
}
const around = (text, part) => text.slice(Math.max(0, text.indexOf(part) - 120), text.indexOf(part) + 80);

/** Everything there is to see of values, hidden members and causes too. */
function everything(value) {
  const all = { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity };
  return `${inspect(value, all)}\n${JSON.stringify(value)}`;
}

/** Where the key is given, as `{ apiKey, headers, model }`. */
const places = {
  "the key": { apiKey: KEY },
  "a bearer header": { headers: { Authorization: `Bearer ${KEY}` } },
  "a header of the model": { model: { headers: { "x-api-key": KEY } } },
  "a cookie": { headers: { "x-api-key": "none-at-all", cookie: `theme=dark; session=${KEY}` } },
};

const said = `Incorrect API key provided: ${KEY}. Also as ${encodeURIComponent(KEY)}, ${base64(KEY)}, ${url64(KEY)}, ${base64(`user:${KEY}`)} and Bearer ${KEY}!`;
const answer = (body, status = 200, type = "text/event-stream", statusText = "") =>
  new Response(body, { status, statusText, headers: { "content-type": type } });
const json = (status, value) => answer(JSON.stringify(value), status, "application/json", `Bad ${KEY}`);
const event = (value, name) => `${name ? `event: ${name}\n` : ""}data: ${value}\n\n`;

/** A body that breaks after these words. */
const breaking = (words, error) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(words));
    },
    pull: (controller) => controller.error(error),
  });

/** Ways to fail: the response to give, or more options. `later`: the request is repeated. */
const failures = {
  "a refusal that quotes it": { respond: () => json(401, { error: { message: said, code: said } }) },
  "a refusal in other words": { respond: () => json(403, { detail: said }) },
  "a refusal whose text is escaped": {
    respond: () => answer(JSON.stringify({ error: { message: said } }).replaceAll("/", "\\/"), 400),
  },
  "a refusal that is cut inside the key": {
    respond: () => answer(`${"x".repeat(4000 - 20)}${KEY}${"y".repeat(100)}`, 400, "text/plain"),
  },
  "a page that quotes it": { respond: () => answer(`<html><p>${said}</p></html>`, 502, "text/html") },
  "a page in place of a stream": { respond: () => answer(`<html>${said}</html>`, 200, "text/html") },
  "a page that is cut inside the key": {
    respond: () => answer(`<html>${"x".repeat(200 - 20)}${KEY} and more`, 200, "text/html"),
  },
  "an error in place of a stream": { respond: () => json(200, { error: { message: said, type: said } }) },
  "an error event": { respond: () => answer(event(JSON.stringify({ error: { message: said } }), "error")) },
  "an error event of its own type": {
    respond: () => answer(event(JSON.stringify({ type: "error", error: { type: said, message: said } }))),
  },
  "an error with a code and details": {
    respond: () =>
      answer(event(JSON.stringify({ type: "error", code: said, message: said, errorMessage: said }))),
  },
  "a failed response": {
    respond: () =>
      answer(
        event(JSON.stringify({ type: "response.failed", response: { error: { code: "x", message: said } } })),
      ),
  },
  "an error line": { respond: () => answer(`error: ${said}\n\n`) },
  "an event that is no JSON": { respond: () => answer(event(`{"broken": ${said}`)) },
  "an event of a strange shape": { respond: () => answer(event(JSON.stringify([said]))) },
  "a body that is cut": { respond: () => answer(`data: {"error":{"message":"${said}`) },
  "a body that breaks": { respond: () => answer(breaking(": hm\n\n", new Error(said, { cause: said }))) },
  "no connection": {
    respond: () => Promise.reject(new TypeError("fetch failed", { cause: new Error(said) })),
  },
  "a fetch that throws": {
    respond: () => {
      throw new Error(said);
    },
  },
  "an error that is no error": { respond: () => Promise.reject({ message: said, headers: KEY }) },
  "onPayload throws": {
    onPayload: () => {
      throw new Error(said, { cause: new Error(said) });
    },
  },
  "onResponse throws": { onResponse: () => Promise.reject(new Error(said)) },
  "an abort that gives a reason": {
    respond: (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error(said)))),
    abort: true,
  },
  "too many requests": { respond: () => json(429, { error: { message: said } }), later: true },
  "a server that wants a long wait": {
    respond: () => json(429, { error: { message: `Try again in 900s. ${said}` } }),
    later: true,
  },
};

/** Runs a prompt and collects everything a page gets to see. */
async function run(family, place, failure) {
  const requests = [];
  const fetch = (url, init) => {
    requests.push({
      url: String(url),
      headers: new Headers(init.headers),
      body: String(Buffer.from(init.body)),
    });
    return failure.respond?.(init.signal) ?? answer("");
  };
  const model = {
    ...chatModel,
    ...{ api: family, id: "m", baseUrl: "http://model.test/v1" },
    ...place.model,
  };
  const proxied = family === "pi-proxy";
  const streamFn = (asked, context, options) => {
    const { headers, apiKey } = place;
    const more = { fetch, onPayload: failure.onPayload, onResponse: failure.onResponse };
    if (proxied)
      return streamProxy(asked, context, {
        ...options,
        ...more,
        authToken: KEY,
        proxyUrl: "http://own.test",
      });
    return streamSimple(asked, context, { ...options, ...more, headers, apiKey });
  };
  const errors = [];
  const agent = new Agent({
    streamFn,
    ...(failure.later && { maxRetries: 1, maxRetryDelayMs: 1000, fallbackModels: [{ model, apiKey: KEY }] }),
    initialState: { model },
    onError: (error) => void errors.push(error),
  });
  const store = new MemoryStore();
  const session = failure.stored && new Session({ agent, store });
  const events = [];
  agent.subscribe((happened) => {
    events.push(structuredClone({ ...happened }));
    if (happened.type === "request_retry") setImmediate(() => agent.abort());
  });
  const prompt = agent.prompt("go");
  if (failure.abort) setImmediate(() => agent.abort());
  const outcome = await prompt.catch((error) => error);
  const { model: _, ...state } = agent.state;
  const seen = { events, errors, outcome, state, messages: agent.state.messages };
  if (!session) return { requests, seen, agent };
  await session.waitForIdle();
  const exported = session.tree.export();
  await session.dispose({ keepStore: true });
  return { requests, seen: { ...seen, exported, store }, agent, exported };
}

for (const family of families) {
  describe(family, () => {
    for (const [where, place] of Object.entries(places)) {
      if (family === "pi-proxy" && where !== "the key") continue;
      test(`${where} stays where it belongs`, async (t) => {
        const printed = [];
        for (const name of ["log", "info", "warn", "error", "debug", "trace"])
          t.mock.method(console, name, (...args) => void printed.push(args));
        for (const [what, failure] of Object.entries(failures)) {
          const { requests, seen, agent } = await run(family, place, failure);
          const last = agent.state.messages.at(-1);
          assert.ok(["error", "aborted"].includes(last.stopReason), `${what}: ${last.stopReason}`);
          assertClean(everything(seen), what);
          assertClean(everything(printed), `${what}: the console`);
          for (const { url, headers, body } of requests) {
            assertClean(url, `${what}: the address`);
            assertClean(body, `${what}: the body`);
            const holders = [...headers].filter(([, value]) => value.includes(KEY)).map(([name]) => name);
            assert.equal(holders.length, 1, `${what}: sent in one header`);
          }
        }
      });
    }
  });
}

test("a session that is stored and exported has no key", async () => {
  for (const family of families) {
    for (const [where, place] of Object.entries(places)) {
      if (family === "pi-proxy" && where !== "the key") continue;
      for (const name of ["a refusal that quotes it", "a page that quotes it"]) {
        const { seen, exported } = await run(family, place, { ...failures[name], stored: true });
        assert.match(exported, /"stopReason":"error"/, `${family}: ${name} is in the export`);
        assertClean(everything(seen), `${family}: ${where}: ${name}`);
      }
    }
  }
});

test("a key that pages escape is not shown", async () => {
  const key = `sk-<Marked>&"quoted"+'0123456789`;
  const html = key.replace(/[&<>"']/g, (char) => `&#x${char.charCodeAt(0).toString(16)};`);
  const named = key
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
  const json = key.replace(/[&<>"'+]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`);
  for (const quoted of [html, named.replaceAll("'", "&#39;"), json]) {
    const respond = () => answer(`<html><p>Bad key ${quoted}</p></html>`, 401, "text/html");
    const { agent } = await run("openai-completions", { apiKey: key }, { respond });
    const said = agent.state.messages.at(-1).errorMessage;
    assert.equal(said, "401: <html><p>Bad key [redacted]</p></html>", quoted);
  }
});

test("the shortest key that is hidden has eight characters: shorter ones are words, too", async () => {
  for (const [key, shown] of [
    ["abcd1234", "401: Bad key [redacted]"],
    ["ollama", "401: Bad key ollama"],
  ]) {
    const respond = () => answer(`Bad key ${key}`, 401, "text/plain");
    const { agent } = await run("openai-completions", { apiKey: key }, { respond });
    assert.equal(agent.state.messages.at(-1).errorMessage, shown);
  }
});

test("a key that HTTP does not allow is not shown", async () => {
  for (const family of families) {
    const bad = { apiKey: `${KEY}\nX: 1` };
    const { seen, requests } = await run(family, bad, failures["a page that quotes it"]);
    if (family !== "pi-proxy") assert.deepEqual(requests, []);
    assertClean(everything(seen), family);
  }
});
