// Formats of strings, which the host's regular expressions judge.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolCall } from "steersman";
import { toolOf } from "./scripted.mjs";

const right = {
  uri: "https://example.com/a?b#c",
  "date-time": "2024-12-31T23:59:00Z",
  email: "a.b@example.com",
};

/** What a tool says to one argument, which has that schema. */
async function judged(schema, value) {
  const tool = toolOf("look", undefined, { parameters: { type: "object", properties: { value: schema } } });
  const call = { type: "toolCall", id: "c", name: "look", arguments: { value } };
  const { result, isError } = await runToolCall(call, { tools: [tool] });
  return isError ? result.content[0].text : "";
}

test("a format is told from what it is not, also among hundreds of patterns", async () => {
  for (let i = 0; i < 300; i++) {
    assert.equal(await judged({ type: "string", pattern: `^${i}$` }, `${i}`), "");
    const [format, text] = Object.entries(right)[i % 3];
    assert.equal(await judged({ type: "string", format }, text), "");
    assert.match(await judged({ type: "string", format }, ` ${text}`), /must be an? /);
  }
});

test("a pattern that is none is said to be none, also where formats are known", async () => {
  assert.equal(await judged({ type: "string", format: "uri" }, right.uri), "");
  assert.match(await judged({ type: "string", pattern: "?x" }, right.uri), /pattern/);
});

test("a long text that nearly fits comes to its end", async () => {
  const long = "a".repeat(1_000_000);
  assert.equal(await judged({ type: "string", format: "uri" }, `http://h/${long}`), "");
  assert.match(await judged({ type: "string", format: "uri" }, `http://${long}[`), /must be an absolute URI/);
  assert.match(await judged({ type: "string", format: "email" }, `${long}@`), /must be an email address/);
  assert.match(
    await judged({ type: "string", format: "uri-template" }, "{a,".repeat(300_000)),
    /URI template/,
  );
});
