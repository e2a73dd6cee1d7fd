// The protocols that servers of others speak: the model to ask, how its base URL is made of a server's address, and where
// a request has what the tests look for.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/common.mjs";

const all = {
  "openai-completions": { provider: "openai", path: "/v1" },
  "openai-responses": { provider: "openai", path: "/v1" },
  "anthropic-messages": { provider: "anthropic", path: "" },
  "google-generative-ai": { provider: "google", path: "/v1beta" },
};

/** Names of those that have a wire. */
export const families = Object.keys(all).filter((api) => existsSync(join(root, "fixtures/wires", api)));

/** A model of one protocol on a server. */
export const modelOf = (api, url, more) => ({
  ...{ id: "test-model", name: "Model", api, provider: all[api].provider, baseUrl: url + all[api].path },
  ...{ reasoning: true, input: ["text", "image"], contextWindow: 100_000, maxTokens: 1000 },
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  ...more,
});
