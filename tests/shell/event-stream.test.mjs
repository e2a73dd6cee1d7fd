// EventStream as a class of its own, as stream functions use it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AssistantMessageEventStream, EventStream } from "steersman";

const numbers = () =>
  new EventStream(
    (n) => n < 0,
    (n) => `last ${n}`,
  );
const collect = async (stream) => {
  const all = [];
  for await (const item of stream) all.push(item);
  return all;
};

test("events keep their order, whether they wait for the reader or the reader waits for them", async () => {
  const stream = numbers();
  stream.push(1);
  stream.push(2);
  const reading = collect(stream);
  stream.push(3);
  await new Promise((resolve) => setImmediate(resolve));
  stream.push(4);
  stream.push(-1);
  stream.push(5);
  assert.deepEqual(await reading, [1, 2, 3, 4, -1]);
  assert.equal(await stream.result(), "last -1");
  assert.deepEqual(await collect(stream), []);
});

test("a long backlog is read completely and in order", async () => {
  const stream = numbers();
  const total = 200_000;
  for (let i = 1; i <= total; i++) stream.push(i);
  stream.push(-1);
  let next = 1;
  for await (const n of stream) {
    if (n < 0) break;
    assert.equal(n, next++);
  }
  assert.equal(next, total + 1);
});

test("readers share the events, and leaving hands the rest to the next reader", async () => {
  const stream = numbers();
  for (const n of [1, 2, 3]) stream.push(n);
  for await (const n of stream) if (n === 2) break;
  stream.push(-1);
  assert.deepEqual(await collect(stream), [3, -1]);
});

test("a reader that left while it waited does not swallow the next event", async () => {
  const stream = numbers();
  const first = stream[Symbol.asyncIterator]();
  const second = stream[Symbol.asyncIterator]();
  const left = first.next();
  const stays = second.next();
  await first.return();
  stream.push(1);
  assert.equal((await left).done, true);
  assert.deepEqual(await stays, { value: 1, done: false });
});

test("several reads at once are answered in order, and all end with the stream", async () => {
  const stream = numbers();
  const reader = stream[Symbol.asyncIterator]();
  const reads = [reader.next(), reader.next(), reader.next(), reader.next()];
  stream.push(1);
  stream.push(-1);
  const results = await Promise.all(reads);
  assert.deepEqual(
    results.map((r) => (r.done ? "end" : r.value)),
    [1, -1, "end", "end"],
  );
});

test("end() gives a result, or tells that there is none", async () => {
  const given = numbers();
  given.end("mine");
  assert.equal(await given.result(), "mine");
  const cut = numbers();
  cut.push(1);
  cut.end();
  assert.deepEqual(await collect(cut), [1]);
  await assert.rejects(cut.result(), { code: "stream_truncated" });
});

test("fail() reaches reader and result once, after the events", async () => {
  const stream = numbers();
  stream.push(1);
  stream.fail(new Error("gone"));
  const reader = stream[Symbol.asyncIterator]();
  assert.equal((await reader.next()).value, 1);
  await assert.rejects(reader.next(), /gone/);
  assert.equal((await reader.next()).done, true);
  await assert.rejects(stream.result(), /gone/);
});

test("a response stream times its final message, unless the message has its own time or is older", async () => {
  const finish = async (fields) => {
    const stream = new AssistantMessageEventStream();
    const message = { role: "assistant", content: [], timestamp: Date.now(), ...fields };
    stream.push({ type: "done", reason: "stop", message });
    return stream.result();
  };
  assert.equal(typeof (await finish({})).durationMs, "number");
  assert.equal((await finish({ durationMs: 7 })).durationMs, 7);
  assert.equal((await finish({ timestamp: 1 })).durationMs, undefined);
});
