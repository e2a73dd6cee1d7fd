// Plays cases of kind `provider-stream`: the bytes of one response, received by an agent whose tools answer `ok`.
import assert from "node:assert/strict";
import { toolOf } from "../shell/scripted.mjs";
import { chatModel, streamed } from "../hostile/provider.mjs";
import { assertPart, judge, Keys } from "./keys.mjs";
import { callsOf, danglingCalls, orphanResults, resultsOf } from "./requests.mjs";

function textOfEvent(event) {
  const keys = new Keys(event, "event");
  const raw = keys.get("raw");
  const name = keys.get("event");
  const data = keys.get("data");
  keys.done();
  return raw ?? `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}

/** Sends the same piece over and over, every so many milliseconds, until the body is cancelled. */
const again =
  ({ repeat, every_ms: ms }, seen) =>
  (controller) =>
    new Promise((sent) => {
      setTimeout(() => {
        if (seen.cancelled === 0) controller.enqueue(new TextEncoder().encode(repeat));
        sent();
      }, ms);
    });

/** The response to the first request. */
function responseOf(keys, seen) {
  const http = new Keys(keys.get("http"), "http");
  const status = http.get("status");
  http.done();
  const body = keys.get("body");
  const events = keys.get("events", []);
  const repeated = events.find(({ repeat }) => repeat !== undefined);
  const once = events.filter((event) => event !== repeated);
  const pieces = body === undefined ? once.map(textOfEvent) : [body];
  const end = keys.get("end");
  const after = repeated
    ? again(repeated, seen)
    : {
        hang: () => new Promise(() => {}),
        error: (controller) => controller.error(new Error("connection reset")),
      }[end];
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  return streamed(pieces, { status, headers, after, onCancel: () => seen.cancelled++ });
}

/** An answer to the second request, by API. */
const DONE = {
  "openai-completions": [
    { data: { choices: [{ index: 0, delta: { content: "done" }, finish_reason: "stop" }] } },
    { raw: "data: [DONE]\n\n" },
  ],
  "anthropic-messages": [
    { type: "message_start", message: { id: "m2", role: "assistant", content: [], usage: {} } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
    { type: "message_stop" },
  ].map((data) => ({ event: data.type, data })),
  "openai-responses": [
    { type: "response.output_text.delta", output_index: 0, item_id: "m2", delta: "done" },
    { type: "response.completed", response: { status: "completed" } },
  ].map((data) => ({ event: data.type, data })),
};

async function receive(host, input) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const api = keys.get("api");
  const seen = { bodies: [], cancelled: 0, executions: [], events: [], console: [] };
  const apiKey = keys.get("apiKey", "key");
  const model = { ...chatModel, api, compat: keys.get("compat") };
  const price = keys.get("price");
  // Cases give prices per token, models have them per million.
  if (price) model.cost = { ...model.cost, ...mapValues(price, (value) => value * 1e6) };
  const tools = keys
    .get("tools", [])
    .map(({ name, parameters }) => toolOf(name, async () => "ok", { parameters, execute: undefined }));
  for (const tool of tools) {
    tool.execute = async (id, args) => {
      seen.executions.push({ id, args });
      return { content: [{ type: "text", text: "ok" }], details: {} };
    };
  }
  const first = responseOf(keys, seen);
  const limits = keys.get("limits");
  // Those are for the checks.
  keys.get("variant_b");
  keys.get("variant_b_drop_last_event");
  keys.done();
  const fetch = async (_url, init) => {
    seen.bodies.push(JSON.parse(new TextDecoder().decode(init.body)));
    if (seen.bodies.length === 1) return first;
    return streamed(DONE[api].map(textOfEvent));
  };
  const streamFn = (m, context, options) =>
    host.steersman.streamSimple(m, context, { ...options, apiKey, fetch });
  const agent = new host.steersman.Agent({ streamFn, limits, initialState: { model, tools } });
  agent.subscribe((event) => void seen.events.push(event));
  const ran = agent.prompt("a");
  let over = false;
  ran.finally(() => (over = true));
  for (seen.tookMs = 0; !over; seen.tookMs += 5) {
    if (seen.tookMs > 5000) throw new Error("the case hangs");
    await host.time.pass(5);
  }
  await host.time.pass(100);
  return { ...seen, agent, message: agent.state.messages.find(({ role }) => role === "assistant"), apiKey };
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** The same case with the changes that it names. */
function variantOf(input) {
  const { variant_b: changes, variant_b_drop_last_event: shorter, ...rest } = input;
  if (shorter) return { ...rest, events: rest.events.slice(0, -1) };
  return { ...rest, ...(changes.body === undefined ? {} : { events: undefined }), ...changes };
}

/** What a failed message says, as cases put it. */
function assertFailure(host, message, expected) {
  const keys = new Keys(expected, "error");
  const code = keys.get("code");
  if (code) assert.equal(message.diagnostics[0].code, code);
  const status = keys.get("status");
  if (status) assert.match(message.errorMessage, new RegExp(`\\b${status}\\b`));
  const retryable = keys.get("retryable");
  if (retryable !== undefined) assert.equal(host.steersman.isRetryable(message), retryable);
  for (const word of [keys.get("message_contains", [])].flat()) {
    assert.ok(message.errorMessage.includes(word), word);
  }
  const stopReason = keys.get("stopReason", "error");
  assert.equal(message.stopReason, stopReason);
  keys.done();
}

function checks(host, seen) {
  const { agent, message } = seen;
  const second = seen.bodies[1];
  return {
    message(expected) {
      const { content_types: types, content_0: first, ...rest } = expected;
      assertPart(message, rest);
      if (types)
        assert.deepEqual(
          message.content.map(({ type }) => type),
          types,
        );
      if (first) assertPart(message.content[0], first);
    },
    replay_content(expected) {
      const replayed = second.messages.find(({ role }) => role === "assistant").content;
      assertPart(replayed, expected);
    },
    replay_input_item_types(expected) {
      const types = second.input.map(({ type }) => type).filter((type) => expected.includes(type));
      assert.deepEqual(types, expected);
    },
    replay_encrypted_content: (expected) =>
      assert.equal(second.input.find(({ type }) => type === "reasoning").encrypted_content, expected),
    async variant_b(expected) {
      const { message: other } = await receive(host, variantOf(host.input));
      assertFailure(host, other, expected);
    },
    per_block_order_ok() {
      // Every block begins, goes on and ends, whatever other blocks do meanwhile.
      const words = new Map();
      for (const { type, assistantMessageEvent: event } of seen.events) {
        if (type !== "message_update") continue;
        const steps = words.get(event.contentIndex) ?? [];
        words.set(event.contentIndex, [...steps, event.type.split("_")[1]]);
      }
      const blocks = message.content.length;
      assert.deepEqual(
        [...words.keys()].slice(0, blocks).sort(),
        message.content.map((_, i) => i),
      );
      for (const steps of words.values()) assert.match(steps.join(" "), /^(start( delta)* end ?)+$/);
    },
    usage: (expected) => assertPart(message.usage, expected),
    cost: (expected) => assert.equal(message.usage.cost.total, expected),
    model_calls: (expected) => assert.equal(seen.bodies.length, expected),
    tool_executions: (expected) => assert.equal(seen.executions.length, expected),
    distinct_ids(expected) {
      const ids = message.content.filter(({ type }) => type === "toolCall").map(({ id }) => id);
      assert.equal(new Set(ids).size, expected);
      assert.ok(ids.every((id) => id !== ""));
      assert.deepEqual(new Set(seen.executions.map(({ id }) => id)), new Set(ids));
    },
    results_pair_with_calls() {
      assert.deepEqual([danglingCalls(second), orphanResults(second)], [[], []]);
      assert.equal(callsOf(second).length, resultsOf(second).length);
    },
    body_cancelled: (expected) => assert.equal(seen.cancelled > 0, expected),
    ends_within_ms: (most) => assert.ok(seen.tookMs <= most, `${seen.tookMs} ms`),
    ends_between_ms: ([least, most]) =>
      assert.ok(seen.tookMs >= least && seen.tookMs <= most, `${seen.tookMs} ms`),
    no_crash: () => assert.ok(!message.errorMessage?.includes("crashed")),
    max_peak_bytes: () => assert.ok(message.content.length < 10),
    object_prototype_unchanged: () =>
      assert.deepEqual(Reflect.ownKeys(Object.prototype).sort(), host.prototypeKeys),
    no_negative() {
      for (const value of Object.values(message.usage)) if (typeof value === "number") assert.ok(value >= 0);
    },
    async variant_no_usage(expected) {
      const input = structuredClone(host.input);
      for (const { data } of input.events) delete data?.usage;
      const bare = await receive(host, input);
      const { requests, known } = bare.agent.usage.run;
      assert.deepEqual({ requests, usage_known: known }, expected);
    },
    secret_absent_in(places) {
      const shown = {
        error: [message.errorMessage, JSON.stringify(message.diagnostics)],
        events: [JSON.stringify(seen.events)],
        console: host.printed,
        snapshot: [JSON.stringify(agent.state)],
        "JSON.stringify": [JSON.stringify(agent)],
      };
      for (const place of places) {
        for (const text of shown[place]) assert.ok(!text?.includes(seen.apiKey), place);
      }
    },
    error(expected) {
      if (expected !== null) return assertFailure(host, message, expected);
      return assert.deepEqual([message.errorMessage, message.diagnostics], [undefined, undefined]);
    },
  };
}

export async function playStream(host, input, expected) {
  const seen = await receive(host, input);
  await judge(expected, checks({ ...host, input }, seen));
}
