// onProviderStreamEvent: what the provider really sent, before it is interpreted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { chatModel, chunksOf, provider, sse, streamed } from "../hostile/provider.mjs";

const chunks = chunksOf([
  { type: "text", text: "one" },
  { type: "text", text: "two" },
]);

/** Asks with the hook; the body comes in these pieces. */
async function ask(onProviderStreamEvent, pieces = [sse(chunks)]) {
  const fetch = provider([() => streamed(pieces)]);
  const stream = streamSimple(
    chatModel,
    { messages: [{ role: "user", content: "go", timestamp: 1 }] },
    { apiKey: "key", fetch, onProviderStreamEvent },
  );
  const types = [];
  for await (const { type } of stream) types.push(type);
  return { types, message: await stream.result() };
}

test("every event is seen once, as it was sent, with the model, before what it leads to", async () => {
  const text = sse(chunks);
  for (const pieces of [[text], [...text], text.split(/(?<=\n\n)/)]) {
    const seen = [];
    const { message, types } = await ask((event, model) => void seen.push([event, model.id]), pieces);
    assert.deepEqual(
      seen,
      chunks.map((chunk) => [chunk, "m"]),
    );
    assert.equal(message.stopReason, "stop");
    assert.deepEqual(types.slice(0, 3), ["start", "text_start", "text_delta"]);
  }
});

test("what it throws, or rejects with, ends the response in an error", async () => {
  let calls = 0;
  const throwing = await ask(() => {
    calls++;
    throw new Error("not for me");
  });
  assert.equal(calls, 1);
  assert.deepEqual([throwing.message.stopReason, throwing.message.errorMessage], ["error", "not for me"]);
  assert.equal(throwing.types.at(-1), "error");
  assert.deepEqual(throwing.message.content, []);
  const rejecting = await ask(
    () => Promise.reject(new Error("later")),
    [sse(chunks.slice(0, 1), ""), sse(chunks.slice(1))],
  );
  assert.equal(rejecting.types.filter((type) => type === "done" || type === "error").length, 1);
});

test("an agent passes it on, and without it nothing is made of events", async () => {
  const seen = [];
  const fetch = provider([[{ type: "text", text: "hi" }]]);
  const agent = new Agent({
    streamFn: (model, context, options) => streamSimple(model, context, { ...options, fetch, apiKey: "key" }),
    onProviderStreamEvent: (event) => void seen.push(event.choices[0].delta.content),
    initialState: { model: chatModel },
  });
  await agent.prompt("go");
  assert.deepEqual(seen, ["hi", undefined]);
});
