// The catalogue, prices, and the models of a server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { sharedDir } from "../../scripts/common.mjs";
import { calculateCost, discoverModels, getModel, getModels, getProviders } from "../../npm/dist/models.js";

test("a model comes with address, prices and limits", () => {
  const model = getModel("anthropic", "claude-haiku-4-5");
  assert.equal(model.api, "anthropic-messages");
  assert.equal(model.baseUrl, "https://api.anthropic.com");
  assert.deepEqual(model.cost, { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 });
  assert.equal(model.contextWindow, 200_000);
  assert.deepEqual(model.input, ["text", "image"]);
});

test("what is not there is undefined, whatever its name", () => {
  assert.equal(getModel("anthropic", "none"), undefined);
  for (const name of ["none", "__proto__", "constructor", "toString"]) {
    assert.equal(getModel(name, "claude-haiku-4-5"), undefined);
    assert.deepEqual(getModels(name), []);
  }
});

test("every call gives objects of its own", () => {
  const first = getModel("openai", "gpt-5");
  first.cost.input = 0;
  first.compat.supportsStrictMode = "changed";
  assert.notDeepEqual(getModel("openai", "gpt-5"), first);
});

test("the whole catalogue is what it was made from", (t) => {
  assert.equal(getModels().length, 1119);
  const shared = sharedDir();
  if (!shared) return t.diagnostic("no ../shared here: the source of the catalogue is not compared");
  const source = JSON.parse(readFileSync(join(shared, "models/catalog.json"), "utf8"));
  assert.deepEqual(getProviders(), Object.keys(source));
  for (const [provider, models] of Object.entries(source)) assert.deepEqual(getModels(provider), models);
  t.diagnostic(`${getModels().length} models of ${getProviders().length} providers`);
});

const usage = (counts) => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, ...counts });

test("cost by kind of token, by tier, and of cache writes for an hour", () => {
  const cost = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };
  const used = usage({ input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, cacheWrite1h: 4e5 });
  const made = calculateCost({ cost }, used);
  assert.equal(used.cost, made);
  assert.deepEqual(made, {
    input: 1,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 1.25 * 0.6 + 2 * 0.4,
    total: 1 + 10 + 0.1 + (1.25 * 0.6 + 2 * 0.4),
    totalFromProvider: false,
  });
  const tiers = [
    { inputTokensAbove: 200, input: 3, output: 3, cacheRead: 3, cacheWrite: 3 },
    { inputTokensAbove: 100, input: 2, output: 2, cacheRead: 2, cacheWrite: 2 },
  ];
  const priceAt = (input, cacheRead) =>
    calculateCost({ cost: { ...cost, tiers } }, usage({ input, cacheRead })).total;
  assert.equal(priceAt(100, 0), 1e-4);
  assert.equal(priceAt(100, 1), (2 * 101) / 1e6);
  assert.equal(priceAt(201, 0), (3 * 201) / 1e6);
});

/** Asks a server that answers so. */
async function discover(answer, { status = 200, options } = {}) {
  let seen;
  const server = createServer((request, response) => {
    seen = request;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
  try {
    return { models: await discoverModels(`${baseUrl}/`, options), baseUrl, request: seen };
  } finally {
    server.close();
  }
}

test("the models of local servers and gateways", async () => {
  const { models, baseUrl, request } = await discover(
    {
      object: "list",
      data: [
        { id: "llama3.2:1b", object: "model", owned_by: "library" },
        { id: "qwen", meta: { n_ctx_train: 32768 } },
        { id: "vllm/m", max_model_len: 4096 },
        { id: "embed", type: "embeddings" },
        {
          id: "a/b",
          name: "A: B",
          context_length: 1000,
          architecture: { input_modalities: ["text", "image"] },
          top_provider: { max_completion_tokens: 500 },
          pricing: { prompt: "0.0000025", completion: "0.00001" },
          supported_parameters: ["tools", "reasoning"],
        },
        { object: "no id" },
      ],
    },
    { options: { apiKey: "k", headers: { "x-a": "1" } } },
  );
  assert.equal(request.url, "/v1/models");
  assert.equal(request.headers.authorization, "Bearer k");
  assert.equal(request.headers["x-a"], "1");
  assert.deepEqual(
    models.map(({ id, contextWindow }) => [id, contextWindow]),
    [
      ["llama3.2:1b", 0],
      ["qwen", 32768],
      ["vllm/m", 4096],
      ["a/b", 1000],
    ],
  );
  assert.deepEqual(models.at(-1), {
    id: "a/b",
    name: "A: B",
    api: "openai-completions",
    provider: new URL(baseUrl).host,
    baseUrl,
    type: "chat",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 2.5, output: 10, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 500,
  });
  const own = await discover({ models: [{ name: "m", model: "m:1" }] }, { options: { provider: "mine" } });
  assert.deepEqual([own.models[0].id, own.models[0].provider], ["m:1", "mine"]);
});

test("what goes wrong is an error with a code and the address", async () => {
  const code = (code, words) => (error) => error.code === code && words.test(error.message);
  await assert.rejects(discover("no", { status: 401 }), code("auth", /^401 from http:.*: no$/));
  await assert.rejects(discover("gone", { status: 500 }), code("http", /^500 /));
  await assert.rejects(discover("<html>"), code("protocol", /no JSON: <html>/));
  await assert.rejects(discover({ data: {} }), code("protocol", /list of models/));
  await assert.rejects(discoverModels("nonsense"), code("invalid_request", /"nonsense"/));
  await assert.rejects(discoverModels("http://127.0.0.1:1/v1"), code("network", /127\.0\.0\.1:1/));
  await assert.rejects(
    discoverModels("http://127.0.0.1:1/v1", { signal: AbortSignal.abort() }),
    code("aborted", /aborted/),
  );
});
