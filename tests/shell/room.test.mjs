// How much of a window an answer is given, where answers before it were counted: the last good one's usage stands for all
// that came before it, also where that is not the newest message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamSimple } from "steersman";
import { chatModel } from "../hostile/provider.mjs";

const model = { ...chatModel, contextWindow: 200_000, maxTokens: 150_000 };
const MARGIN = 4096;

const usage = (totalTokens, parts = {}) => ({
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens, ...parts },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
const asked = (timestamp, content = "x".repeat(35)) => ({ role: "user", content, timestamp });
const answered = (timestamp, used, rest = {}) => ({
  ...{ role: "assistant", content: [{ type: "text", text: "y".repeat(35) }], usage: used, timestamp },
  ...{ api: model.api, provider: model.provider, model: model.id, stopReason: "stop", ...rest },
});

/** The tokens that a request with these messages allows for its answer. */
async function allowed(messages) {
  let body;
  const fetch = async (_, init) => {
    body = JSON.parse(new TextDecoder().decode(init.body));
    return new Response("", { status: 400 });
  };
  await streamSimple(model, { messages }, { fetch, apiKey: "key", maxTokens: 150_000 }).result();
  return body.max_completion_tokens ?? body.max_tokens;
}

const cases = [
  [
    "the last answer counts for all before it",
    [answered(2, usage(60_000)), asked(3), answered(4, usage(70_000))],
    70_000,
  ],
  [
    "one that failed does not",
    [answered(2, usage(70_000)), asked(3), answered(4, usage(90_000), { stopReason: "error" })],
    70_020,
  ],
  ["nor one without a count", [answered(2, usage(70_000)), asked(3), answered(4, usage(0))], 70_020],
  [
    "a sum is counted where no total is",
    [answered(2, usage(70_000)), asked(3), answered(4, usage(0, { input: 80_000, output: 5 }))],
    80_005,
  ],
  [
    "nor one that is older than what is before it",
    [answered(5, usage(70_000)), asked(6), answered(4, usage(90_000))],
    70_020,
  ],
  [
    "nor any behind a newer summary",
    [asked(9), answered(4, usage(150_000)), asked(5), answered(6, usage(160_000))],
    40,
  ],
  ["nor a usage that is none", [answered(2, usage(70_000)), asked(3), answered(4, null)], 70_020],
];

for (const [name, messages, before] of cases)
  test(name, async () => {
    const room = 200_000 - (before + 10);
    const margin = Math.max(MARGIN, Math.ceil((before + 10) * 0.15));
    assert.equal(await allowed([...messages, asked(10)]), Math.min(150_000, room - margin));
  });
