// A real model of 135M parameters behind llama-server, in the three protocols that it speaks. What it says is its own
// affair; that it answers, calls a tool and goes on with the result is ours. Without the server there is nothing to run:
// scripts/checks/servers.mjs says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { families, modelOf } from "./families.mjs";

const url = process.env.STEERSMAN_LLAMA_URL;
const spoken = families.filter((api) => api !== "google-generative-ai");

const usage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** A worked example: a model this small imitates more than it understands. */
function example(model, id, ask, name, args, result, say) {
  const said = (content, stopReason) => ({
    ...{ role: "assistant", content, api: model.api, provider: model.provider, model: model.id },
    ...{ usage, stopReason, timestamp: 1 },
  });
  return [
    { role: "user", content: ask, timestamp: 1 },
    said([{ type: "toolCall", id, name, arguments: args }], "toolUse"),
    {
      ...{ role: "toolResult", toolCallId: id, toolName: name, isError: false, timestamp: 1 },
      content: [{ type: "text", text: result }],
    },
    said([{ type: "text", text: say }], "stop"),
  ];
}

for (const api of url ? spoken : []) {
  test(`${api}: the model calls a tool and answers`, async () => {
    const model = { ...modelOf(api, url, { reasoning: false, contextWindow: 4096, maxTokens: 60 }) };
    model.id = "smollm2-135m-instruct";
    const cities = [];
    const tool = (name, description, answer) => ({
      ...{ name, label: name, description },
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      execute: async (_id, { city }) => {
        cities.push(`${name} ${city}`);
        return { content: [{ type: "text", text: answer }], details: {} };
      },
    });
    const agent = new Agent({
      streamFn: (asked, context, options) => streamSimple(asked, context, { ...options, temperature: 0 }),
      getApiKey: () => "none",
      limits: { maxTurns: 3 },
      initialState: {
        model,
        systemPrompt: "You are a helpful assistant. Use these tools.",
        tools: [
          tool("get_weather", "Get the current weather for a city", '{"temp_c":21}'),
          tool("get_time", "Get the local time for a city", '{"time":"09:30"}'),
        ],
        messages: [
          ...example(
            ...[model, "call_0", "What is the weather in Rome?", "get_weather", { city: "Rome" }],
            ...['{"temp_c":24}', "It is 24 degrees in Rome."],
          ),
          ...example(
            ...[model, "call_1", "What time is it in Oslo?", "get_time", { city: "Oslo" }],
            ...['{"time":"10:15"}', "It is 10:15 in Oslo."],
          ),
        ],
      },
    });
    await agent.prompt("What is the weather in Paris?");
    const last = agent.state.messages.at(-1);
    assert.equal(last.stopReason, "stop", last.errorMessage);
    assert.deepEqual(cities, ["get_weather Paris"]);
    assert.ok(last.content.some(({ type, text }) => type === "text" && text.length > 0));
    assert.ok(last.usage.output > 0);
  });
}
