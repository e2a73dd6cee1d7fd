// Mistakes that a type checker would find: the words say what is wrong, where, and what to do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { discoverModels } from "../../npm/dist/models.js";
import { call, model, scripted, toolOf } from "./scripted.mjs";

const refused = (message) => ({ name: "AgentError", code: "invalid_request", message });
const plain = { ...model, api: "openai-completions", baseUrl: "http://127.0.0.1:9/v1" };

/** The error that a prompt ends with. */
async function failure(options, input = "x") {
  const agent = new Agent(options);
  await agent.prompt(input);
  return agent.state.errorMessage;
}

test("a tool without execute says so to the model", async () => {
  const results = async (tool) => {
    const agent = new Agent({
      streamFn: scripted([[call("1", "a")], "ok"]),
      initialState: { model, tools: [tool] },
    });
    await agent.prompt("x");
    return agent.state.messages.find(({ role }) => role === "toolResult");
  };
  const { execute: _, ...none } = toolOf("a");
  const missing = await results(none);
  assert.equal(missing.isError, true);
  assert.equal(missing.content[0].text, 'Tool "a" has no execute function');
});

test("an agent without a model says what is missing, with and without a key", async () => {
  for (const getApiKey of [undefined, () => "k"]) {
    assert.match(await failure({ streamFn: streamSimple, getApiKey }), /^No model: set initialState\.model/);
  }
});

test("a model needs an address with a scheme, or a path of the page", async () => {
  const withUrl = (baseUrl) =>
    failure({
      streamFn: streamSimple,
      getApiKey: () => "k",
      initialState: { model: { ...plain, baseUrl } },
    });
  assert.match(await withUrl(undefined), /^The model ".*" has no baseUrl$/);
  for (const url of ["localhost:11434/v1", "api.example.com/v1", "127.0.0.1:8080/v1", "http:/example.com"]) {
    const said = await withUrl(url);
    assert.ok(said.startsWith(`The model's baseUrl makes no valid URL: ${url}`), said);
    assert.match(said, /https:\/\/host\/v1/);
  }
  await assert.rejects(discoverModels("localhost:11434/v1"), refused(/no address/));
});

test("a model needs an id", async () => {
  const { id: _, ...nameless } = plain;
  const options = { streamFn: streamSimple, getApiKey: () => "k", initialState: { model: nameless } };
  assert.equal(await failure(options), "The model has no id");
});

test("options of a request that make no sense are named", async () => {
  const options = { streamFn: streamSimple, getApiKey: () => "k", initialState: { model: plain } };
  for (const [wrong, words] of [
    [{ maxRetries: -1 }, "maxRetries must be a whole number of at least 0, not -1"],
    [{ maxRetries: 1.5 }, "maxRetries must be a whole number of at least 0, not 1.5"],
    [{ maxRetries: "2" }, "maxRetries must be a whole number of at least 0, not 2"],
    [{ maxRetryDelayMs: -5 }, "maxRetryDelayMs must be a number of milliseconds, not -5"],
  ]) {
    assert.throws(() => new Agent({ ...options, ...wrong }), refused(words));
    assert.throws(() => streamSimple(plain, { messages: [] }, { apiKey: "k", ...wrong }), refused(words));
  }
  const late = { apiKey: "k", timeoutMs: Number.NaN };
  assert.throws(() => streamSimple(plain, { messages: [] }, late), refused(/^timeoutMs must be/));
  const initialState = { model: plain, thinkingLevel: "ultra" };
  assert.equal(
    await failure({ ...options, initialState }),
    'There is no thinking level "ultra"; known: off, minimal, low, medium, high, xhigh, max',
  );
});

test("an api that nobody speaks is answered with those that are spoken", async () => {
  const initialState = { model: { ...plain, api: "open-ai" } };
  assert.match(
    await failure({ streamFn: streamSimple, getApiKey: () => "k", initialState }),
    /^No built-in wire speaks api "open-ai"; there are openai-completions, .* and pi-messages\.$/,
  );
});

test("a place where nothing is: the address and what is likely for it, without the key", async () => {
  const fetch = async () => new Response("Not Found", { status: 404 });
  const streamFn = (given, context, options) => streamSimple(given, context, { ...options, fetch });
  const initialState = { model: { ...plain, baseUrl: "https://host.example?key=secret-0123" } };
  assert.equal(
    await failure({ streamFn, getApiKey: () => "k", initialState }),
    "404: Not Found\nNothing answers at https://host.example: the baseUrl is wrong (does it lack /v1, or have it twice?), " +
      "or the server has no such model.",
  );
});

test("fallback models that are none", async () => {
  for (const fallbackModels of [[undefined], plain]) {
    const said = await failure({
      streamFn: streamSimple,
      getApiKey: () => "k",
      fallbackModels,
      initialState: { model: plain },
    });
    assert.match(said, /^fallbackModels must be a list of models/);
  }
});
