// `coalesce: "frame"`: updates come by frame, joined, complete, and before whatever follows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentLoop, streamSimple } from "steersman";
import { chatModel, chunksOf, provider, sse, streamed } from "../hostile/provider.mjs";
import { handmade } from "./handmade.mjs";
import { call, model, scripted, toolOf } from "./scripted.mjs";
import { deferred, fakeTime, settled } from "./time.mjs";

const FRAME = 16;
const agentWith = (streamFn, more = {}) =>
  new Agent({ initialState: { model }, streamFn, coalesce: "frame", ...more });

/** Updates as `delta 0 text`, other events by their type. */
function logOf(agent) {
  const lines = [];
  agent.subscribe(({ type, assistantMessageEvent: event }) => {
    if (type !== "message_update") lines.push(type);
    else lines.push(`${event.type} ${event.contentIndex} ${event.delta ?? ""}`.trim());
  });
  return lines;
}

test("deltas of a frame come as one, and what waits comes before the end", async (t) => {
  const time = fakeTime(t);
  const response = handmade({ left: Promise.resolve({ done: true }) });
  const agent = agentWith(response.streamFn);
  const lines = logOf(agent);
  const texts = [];
  agent.subscribe((event) => event.type === "message_update" && texts.push(event.message.content[0].text));
  const run = agent.prompt("a");
  await settled();
  response.push({ type: "start" });
  await settled();
  lines.length = 0;
  for (const part of ["a", "b", "c"]) response.text(part);
  await time.pass(FRAME - 1);
  assert.deepEqual(lines, []);
  await time.pass(1);
  assert.deepEqual(lines, ["text_start 0", "text_delta 0 abc"]);
  response.text("d");
  await time.pass(FRAME);
  response.text("e");
  response.text("f");
  await settled();
  response.finish();
  // No time passes.
  await run;
  assert.deepEqual(lines.slice(2, 5), ["text_delta 0 d", "text_delta 0 ef", "message_end"]);
  assert.deepEqual(texts, ["abc", "abc", "abcd", "abcdef"]);
  assert.equal(agent.state.messages.at(-1).content[0].text, "abcdef");
});

test("a long answer: every block begins and ends, all text arrives, one delta per block and frame", async (t) => {
  // No time passes: there is one frame, the end.
  fakeTime(t);
  const words = Array.from({ length: 500 }, (_, i) => `w${i} `);
  const blocks = [
    ...words.map((thinking) => ({ type: "thinking", thinking })),
    ...words.map((text) => ({ type: "text", text })),
    call("k1", "t", { a: "x" }),
    call("k2", "t", { a: "y" }),
  ];
  const play = async (coalesce) => {
    const fetch = provider([() => streamed([sse(chunksOf(blocks))]), [{ type: "text", text: "end" }]]);
    const agent = new Agent({
      initialState: { model: chatModel, tools: [toolOf("t")] },
      streamFn: (m, context, options) => streamSimple(m, context, { ...options, apiKey: "key", fetch }),
      coalesce,
    });
    const events = [];
    agent.subscribe((event) => event.type === "message_update" && events.push(event.assistantMessageEvent));
    await agent.prompt("a");
    const joined = [];
    for (const { type, contentIndex, delta } of events) {
      const last = joined.at(-1);
      if (delta !== undefined && last?.type === type && last.contentIndex === contentIndex)
        last.delta += delta;
      else joined.push({ type, contentIndex, ...(delta === undefined ? {} : { delta }) });
    }
    const content = agent.state.messages.map((message) => message.content);
    return { count: events.length, joined, content };
  };
  const [each, framed] = [await play(undefined), await play("frame")];
  assert.deepEqual(framed.joined, each.joined);
  assert.deepEqual(framed.content, each.content);
  assert.equal(framed.count, framed.joined.length);
  assert.ok(each.count > 1000, String(each.count));
});

test("what a listener throws in a frame ends the run at once, and the request", async (t) => {
  const time = fakeTime(t);
  const response = handmade({ left: Promise.resolve({ done: true }) });
  const thrown = [];
  const agent = agentWith(response.streamFn, { onError: (error) => thrown.push(error.message) });
  agent.subscribe((event) => {
    if (event.type === "message_update") throw new Error("broken listener");
  });
  let over = false;
  const run = agent.prompt("a").then(() => (over = true));
  await settled();
  response.push({ type: "start" });
  response.text("a");
  await time.pass(FRAME);
  // The response itself says nothing more.
  assert.equal(over, true);
  await run;
  assert.deepEqual(thrown, ["broken listener"]);
  assert.equal(agent.state.errorMessage, "broken listener");
  assert.equal(response.signal.aborted, true);
  assert.equal(agent.state.isStreaming, false);
});

test("an abort: what had come is delivered, then the aborted message", async (t) => {
  fakeTime(t);
  const half = sse(chunksOf([{ type: "text", text: "half" }]).slice(0, 1), "");
  const waiting = deferred();
  const fetch = provider([
    () => streamed([half], { after: () => (waiting.resolve(), new Promise(() => {})) }),
  ]);
  const agent = new Agent({
    initialState: { model: chatModel },
    streamFn: (m, context, options) => streamSimple(m, context, { ...options, apiKey: "key", fetch }),
    coalesce: "frame",
  });
  const lines = logOf(agent);
  const run = agent.prompt("a");
  await waiting.promise;
  await settled();
  assert.equal(lines.at(-1), "message_start");
  agent.abort();
  await run;
  const updates = lines.slice(lines.lastIndexOf("message_start") + 1);
  assert.deepEqual(updates.slice(0, 2), ["text_start 0", "text_delta 0 half"]);
  assert.deepEqual(updates.slice(-3), ["message_end", "turn_end", "agent_end"]);
  assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
});

test("a response that fails delivers what came before", async (t) => {
  fakeTime(t);
  const partial = { role: "assistant", content: [{ type: "text", text: "ab" }], usage: {}, timestamp: 1 };
  const streamFn = () => ({
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial };
      yield { type: "text_delta", contentIndex: 0, delta: "a", partial };
      yield { type: "text_delta", contentIndex: 0, delta: "b", partial };
      throw new Error("broken stream");
    },
    result: async () => partial,
  });
  const agent = agentWith(streamFn);
  const lines = logOf(agent);
  await agent.prompt("a");
  assert.ok(lines.includes("text_delta 0 ab"), lines.join("\n"));
  assert.equal(agent.state.errorMessage, "broken stream");
});

test("while a listener is at work the response waits, and nothing overtakes", async (t) => {
  const time = fakeTime(t);
  const response = handmade({ left: Promise.resolve({ done: true }) });
  const agent = agentWith(response.streamFn);
  const lines = [];
  const work = [deferred(), deferred()];
  let count = 0;
  agent.subscribe(async ({ type, assistantMessageEvent: event }) => {
    if (type === "message_end") lines.push(type);
    if (type !== "message_update") return;
    lines.push(`begin ${event.delta ?? event.type}`);
    await work[count++]?.promise;
    lines.push("end");
  });
  const run = agent.prompt("a");
  await settled();
  response.push({ type: "start" });
  response.text("a");
  await time.pass(FRAME);
  lines.length = 0;
  response.text("b");
  response.text("c");
  response.finish();
  await time.pass(10 * FRAME);
  assert.deepEqual(lines, []);
  work[0].resolve();
  await time.pass(10 * FRAME);
  assert.deepEqual(lines, ["end", "begin a"]);
  work[1].resolve();
  await run;
  assert.deepEqual(lines, ["end", "begin a", "end", "begin bc", "end", "message_end"]);
});

test("in a visible page updates come with the frames; without frames by the clock", async (t) => {
  const time = fakeTime(t);
  const frames = [];
  const page = { visibilityState: "visible" };
  const stub = (name, value) => {
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.after(() => delete globalThis[name]);
  };
  stub("document", page);
  stub("requestAnimationFrame", (act) => frames.push(act));
  stub("cancelAnimationFrame", (id) => (frames[id - 1] = undefined));
  const response = handmade({ left: Promise.resolve({ done: true }) });
  const agent = agentWith(response.streamFn);
  const lines = logOf(agent);
  const run = agent.prompt("a");
  await settled();
  response.push({ type: "start" });
  response.text("a");
  await time.pass(FRAME);
  assert.equal(lines.at(-1), "message_start");
  frames.at(-1)();
  await settled();
  assert.equal(lines.at(-1), "text_delta 0 a");
  // No frame comes, as in a covered iframe.
  response.text("b");
  await time.pass(100);
  assert.equal(lines.at(-1), "text_delta 0 b");
  assert.equal(frames.at(-1), undefined);
  // A hidden page has no frames at all.
  page.visibilityState = "hidden";
  const asked = frames.length;
  response.text("c");
  await time.pass(FRAME);
  assert.equal(lines.at(-1), "text_delta 0 c");
  assert.equal(frames.length, asked);
  response.finish();
  await run;
});

test("low-level runs have it too; without it each delta comes by itself; another word is refused", async () => {
  const streamFn = scripted(["one"]);
  const config = { model, convertToLlm: (messages) => messages, coalesce: "frame" };
  const stream = agentLoop([], { messages: [], tools: [] }, config, undefined, streamFn);
  const types = [];
  for await (const { type, assistantMessageEvent: event } of stream) types.push(event?.type ?? type);
  assert.deepEqual(types, [
    ...["agent_start", "turn_start", "message_start", "text_start", "text_delta", "text_end"],
    ...["message_end", "turn_end", "agent_end"],
  ]);

  const agent = agentWith(scripted([]), { coalesce: undefined });
  assert.equal(agent.coalesce, undefined);
  const refused = { code: "invalid_request", message: 'coalesce must be "frame", not often' };
  assert.throws(() => agentWith(scripted([]), { coalesce: "often" }), refused);
  agent.coalesce = "often";
  await agent.prompt("a");
  assert.equal(agent.state.messages.at(-1).diagnostics[0].code, "invalid_request");
});
