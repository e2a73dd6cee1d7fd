// A model whose limits nobody knows (0), as discoverModels() gives it: the server's own limit holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamSimple } from "steersman";
import { chatModel } from "../hostile/provider.mjs";

/** The body of a request to a model without known limits. */
async function bodyOf(api, options) {
  let body;
  const fetch = async (_url, init) => {
    body = JSON.parse(new TextDecoder().decode(init.body));
    return new Response("", { status: 500 });
  };
  const model = { ...chatModel, api, contextWindow: 0, maxTokens: 0 };
  const context = { messages: [{ role: "user", content: "go", timestamp: 1 }] };
  await streamSimple(model, context, { apiKey: "key", fetch, ...options }).result();
  return body;
}

const limits = {
  "openai-completions": (body) => body.max_completion_tokens ?? body.max_tokens,
  "openai-responses": (body) => body.max_output_tokens,
  "mistral-conversations": (body) => body.max_tokens,
  "google-generative-ai": (body) => body.generationConfig?.maxOutputTokens,
};
for (const [api, limitOf] of Object.entries(limits)) {
  test(`${api}: no limit is made up, and the caller's own is sent`, async () => {
    assert.equal(limitOf(await bodyOf(api)), undefined);
    assert.equal(limitOf(await bodyOf(api, { maxTokens: 700 })), 700);
  });
}

test("anthropic-messages, where a limit must be sent: a usable one", async () => {
  assert.equal((await bodyOf("anthropic-messages")).max_tokens, 4096);
  assert.equal((await bodyOf("anthropic-messages", { maxTokens: 700 })).max_tokens, 700);
});
