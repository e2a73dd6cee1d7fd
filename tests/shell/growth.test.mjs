// Requests take time in proportion to what is in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamSimple } from "steersman";
import { isLinear } from "../growth.mjs";
import { chatModel, provider } from "../hostile/provider.mjs";

test("a strict tool with many properties, all of them required", async () => {
  await isLinear(1000, (count) => {
    const names = Array.from({ length: count }, (_, number) => `property ${1e6 + number}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const tool = {
      ...{ name: "t", description: "", constrainedSampling: { type: "json_schema", strict: "prefer" } },
      parameters: { type: "object", properties, required: names },
    };
    const fetch = provider([]);
    return async () => {
      const model = { ...chatModel, compat: { supportsStrictMode: true } };
      await streamSimple(model, { messages: [], tools: [tool] }, { apiKey: "key", fetch }).result();
      const [{ function: sent }] = fetch.requests[0].body.tools;
      assert.deepEqual([sent.strict, sent.parameters.required.length], [true, count]);
    };
  });
});
