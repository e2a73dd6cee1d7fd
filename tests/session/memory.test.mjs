// The memory of the module grows in large steps: at each, engines look for garbage.
import assert from "node:assert/strict";
import { test } from "node:test";

const { Instance } = WebAssembly;
const memories = [];
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    memories.push(...Object.values(this.exports).filter((value) => value instanceof WebAssembly.Memory));
  }
};
const { init } = await import("../../npm/dist/index.js");
const { prepareCompaction, SessionTree } = await import("../../npm/dist/session.js");

test("a session of many megabytes is looked into in few steps", async (t) => {
  await init();
  const entries = [];
  for (let at = 0; at < 20_000; at++)
    entries.push({
      ...{
        type: "message",
        id: `e${at}`,
        parentId: at ? `e${at - 1}` : null,
        timestamp: "2026-01-02T00:00:00.000Z",
      },
      message: { role: "user", content: "word ".repeat(200), timestamp: at },
    });
  const tree = SessionTree.from({ type: "session", version: 3, id: "s", cwd: "/" }, entries);
  const size = () => Math.max(...memories.map(({ buffer }) => buffer.byteLength));
  const sizes = new Set([size()]);
  // It is looked at after each part that the engine is given.
  const { parse } = JSON;
  t.mock.method(JSON, "parse", (...args) => {
    sizes.add(size());
    return parse(...args);
  });
  const before = size();
  assert.equal(prepareCompaction(tree, { keepRecentTokens: 1 }).messagesToSummarize.length, 19_999);
  const after = size();
  assert.ok(after - before > 20e6, "much was needed");
  // An eighth at a time, from two megabytes to two hundred; page by page it was one step for each of the 79 parts.
  assert.ok(sizes.size < 45, `${sizes.size} steps`);
});
