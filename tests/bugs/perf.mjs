// Plays cases of kind `perf`: doubling the input must about double the work. Growth is measured over two doublings
// (growth.mjs).
import assert from "node:assert/strict";
import { compared, TIMES } from "../growth.mjs";
import { chatModel, sse, streamed } from "../hostile/provider.mjs";
import { collect, moduleBytes } from "./instances.mjs";
import { judge, Keys } from "./keys.mjs";

const choice = (delta, finish_reason) => sse([{ choices: [{ index: 0, delta, finish_reason }] }], "");
const last = `${choice({}, "stop")}data: [DONE]\n\n`;

/** `bytes` of text in deltas of `size`. */
function manyEvents(bytes, size) {
  const event = choice({ content: "x".repeat(size) }, null);
  const perPiece = 64;
  const pieces = Array.from({ length: bytes / size / perPiece }, () => event.repeat(perPiece));
  return streamed([...pieces, last]);
}

/** `bytes` of text in one delta, in pieces of `size`. */
function oneEvent(bytes, size) {
  const encoder = new TextEncoder();
  const [start, end] = choice({ content: "|" }, null).split("|");
  const text = encoder.encode("x".repeat(size));
  let left = bytes / size;
  let begun = false;
  const pull = (controller) => {
    if (!begun) controller.enqueue(encoder.encode(start));
    begun = true;
    for (let i = 0; i < 64 && left > 0; i++, left--) controller.enqueue(text);
    if (left > 0) return;
    controller.enqueue(encoder.encode(end + last));
    controller.close();
  };
  const headers = { "content-type": "text/event-stream" };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers });
}

/** Streams `bytes` of text; the consumer reads the deltas only. */
async function stream(host, bytes, response) {
  const fetch = async () => response();
  const streamFn = (model, context, options) =>
    host.steersman.streamSimple(model, context, { ...options, apiKey: "key", fetch });
  const agent = new host.steersman.Agent({ streamFn, initialState: { model: chatModel } });
  let read = 0;
  agent.subscribe((event) => {
    if (event.assistantMessageEvent?.type === "text_delta") read += event.assistantMessageEvent.delta.length;
  });
  await agent.prompt("a");
  assert.equal(read, bytes);
  assert.equal(agent.state.messages.at(-1).content[0].text.length, bytes);
  return agent;
}

/** Bytes that a run adds: to the memory of the module, which shows its highest mark, and to what lives in JavaScript. */
async function growth(run) {
  const living = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  await run(4096);
  const [before, module] = [living(), moduleBytes()];
  const agent = await run();
  const after = living();
  assert.ok(agent.state.messages.length > 0);
  // The module's memory counts as external, too.
  return { total: after - before, module: moduleBytes() - module };
}

/** Events that nobody takes until all are there. */
async function drain(host, count) {
  const queue = new host.steersman.EventStream(
    (event) => event.last,
    () => "end",
  );
  for (let i = 0; i < count; i++) queue.push({ last: i === count - 1 });
  let taken = 0;
  for await (const _event of queue) taken++;
  assert.equal(taken, count);
}

export async function playPerf(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const response = keys.get("what").startsWith("sse: one data line") ? oneEvent : manyEvents;
  const chunk = keys.get("chunk_bytes");
  const sizes = keys.get("total_bytes") ?? keys.get("events");
  keys.done();
  const run = chunk ? (size) => stream(host, size, () => response(size, chunk)) : (size) => drain(host, size);
  const large = sizes[1];
  const grown = expected.max_peak_bytes_over_payload && (await growth((size = large) => run(size)));
  const most = expected.max_ratio_when_doubling ?? Number.POSITIVE_INFINITY;
  await run(large);
  const best = await compared(large / TIMES, (size) => () => run(size), most ** 2);
  const ratio = Math.sqrt(best.large / best.small);
  await judge(expected, {
    max_ratio_when_doubling: () => assert.ok(ratio <= most, `${ratio}: ${JSON.stringify(best)} microseconds`),
    max_peak_bytes_over_payload: (limit) =>
      assert.ok(Math.max(grown.total, grown.module) <= limit * large, JSON.stringify(grown)),
    drain_200k_ms_max: (ms) => assert.ok(best.large / 1000 <= ms, `${best.large} microseconds`),
  });
}
