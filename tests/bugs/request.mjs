// Plays cases of kind `request-build`: the body that is sent for a transcript.
import assert from "node:assert/strict";
import { chatModel, provider } from "../hostile/provider.mjs";
import { judge, Keys } from "./keys.mjs";
import { callsOf, danglingCalls, orphanResults, resultsOf } from "./requests.mjs";

/** The families that are played as they are; cases for others as the first one where they ask nothing of their own. */
const FAMILIES = ["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"];

/** What a message of the model itself says about where it and its blocks came from; cases leave it out. */
const origin = { api: chatModel.api, provider: chatModel.provider, model: chatModel.id };
const received = (message) => {
  if (message.role !== "assistant") return message;
  const signed = (block) =>
    block.type === "thinking" ? { thinkingSignature: "reasoning_content", ...block } : block;
  return { ...origin, ...message, content: message.content.map(signed) };
};

async function build(host, keys, api) {
  // There is one way to ask, that of a page.
  assert.equal(keys.get("env", "browser"), "browser");
  const model = { ...chatModel, api, reasoning: true, compat: keys.get("compat"), ...keys.get("model") };
  const messages = keys.get("messages").map(received);
  const context = { messages, tools: keys.get("tools"), systemPrompt: keys.get("system") };
  const fetch = provider([]);
  const response = host.steersman.streamSimple(model, context, { apiKey: "key", fetch });
  const { stopReason, errorMessage } = await response.result();
  // The answer is one of chat completions: others are read as failed.
  if (api === FAMILIES[0]) assert.equal(stopReason, "stop", errorMessage);
  return fetch.requests[0];
}

const argumentsOf = (call) => call.input ?? call.args ?? JSON.parse(call.function.arguments);

function checks(request) {
  const { body, text, init } = request;
  const assistants = (body.messages ?? []).filter(({ role }) => role === "assistant");
  const items = (kind) => body.input.filter(({ type }) => type === kind);
  return {
    body_lacks(expected) {
      for (const name of expected) assert.ok(!(name in body), name);
    },
    replayed_arguments(expected) {
      const sent = callsOf(body).map((call) => argumentsOf(call));
      assert.ok(sent.length > 0);
      for (const args of sent) assert.deepEqual(args, expected);
    },
    function_call_ids: (expected) =>
      assert.deepEqual(
        items("function_call").map((item) => item.call_id),
        expected,
      ),
    function_call_output_ids: (expected) =>
      assert.deepEqual(
        items("function_call_output").map((item) => item.call_id),
        expected,
      ),
    function_call_item_id_absent(expected) {
      for (const item of items("function_call")) assert.equal(!("id" in item), expected);
    },
    headers_contain(expected) {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(expected)) {
        if (value === "*") assert.ok(headers.get(name), name);
        else assert.equal(headers.get(name), value, name);
      }
    },
    all_ids_match(expected) {
      for (const { id } of [...callsOf(body), ...resultsOf(body)]) assert.match(id, new RegExp(expected));
    },
    distinct_ids: (expected) => assert.equal(new Set(callsOf(body).map(({ id }) => id)).size, expected),
    calls_and_results_pair() {
      assert.deepEqual([danglingCalls(body), orphanResults(body)], [[], []]);
    },
    all_tool_schemas_equal(expected) {
      assert.ok(body.tools.length > 0);
      for (const tool of body.tools)
        assert.deepEqual(tool.input_schema ?? tool.function.parameters, expected);
    },
    body_is_valid_json_and_utf8() {
      // `body` was parsed; strict decoding refuses what is no UTF-8.
      assert.ok(new TextDecoder("utf-8", { fatal: true }).decode(init.body).isWellFormed());
      assert.ok(!/\\ud[89a-f]/i.test(text.replace(/\\ud[89ab]..\\ud[c-f]../gi, "")));
    },
    body_text_contains(expected) {
      const all = JSON.stringify(body);
      for (const part of expected) assert.ok(all.includes(part), part);
    },
    assistant_content: (expected) =>
      assert.deepEqual(
        assistants.map(({ content }) => content ?? null),
        expected,
      ),
    assistant_reasoning_content: (expected) =>
      assert.deepEqual(
        assistants.map(({ reasoning_content }) => reasoning_content),
        expected,
      ),
  };
}

/** @returns the API in whose place chat completions stood, if any */
export async function playRequest(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const apis = [keys.get("api"), ...keys.get("also_apis", [])];
  const known = FAMILIES.filter((name) => apis.includes(name));
  for (const family of known.length > 0 ? known : FAMILIES.slice(0, 1)) {
    const request = await build(host, keys, family);
    keys.done();
    await judge(expected, checks(request));
  }
  return apis.filter((api) => !FAMILIES.includes(api)).join(", ");
}
