// B092, where it is decided: a session open in two tabs, both of which write. One does, the other is refused and follows;
// nothing is lost, nothing is there twice. (What two agents do then: the case of that id.)
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith } from "./browser.mjs";

const script = `
import "/dist/index.js";
import { appendTo, createBranch, IndexedDbStore, SessionError } from "/dist/session.js";
globalThis.start = async () => {
  globalThis.store = new IndexedDbStore({ id: "B092", database: "B092" });
  await store.open();
  if (store.role === "writer") await createBranch(store, "main", null);
};
const message = (content) => ({ type: "message", message: { role: "user", content, timestamp: 1 } });
globalThis.turn = async (name) => {
  const done = [];
  for (let at = 0; at < 20; at++) {
    const id = name + at;
    await appendTo(store, "main", id, message(id)).then(() => done.push(id), ({ code }) => done.push(code));
  }
  return done;
};
globalThis.read = async () =>
  (await store.scanBranch({ start: await store.value("pi.branch.tip", "main"), order: "oldestFirst" })).map(({ id }) => id);
`;

test("B092 of two tabs that write to one session one is refused, and no turn is lost", async () => {
  const { page: a, problems, url, close } = await pageWith(script);
  try {
    const b = await a.context().newPage();
    await b.goto(url);
    for (const page of [a, b]) {
      await page.waitForFunction(() => globalThis.start);
      await page.evaluate(() => start());
    }
    const [first, second] = await Promise.all([a.evaluate(() => turn("a")), b.evaluate(() => turn("b"))]);
    const wanted = Array.from({ length: 20 }, (_, at) => `a${at}`);
    assert.deepEqual(first, wanted);
    assert.deepEqual(new Set(second), new Set(["fenced"]));
    for (const page of [a, b]) assert.deepEqual(await page.evaluate(() => read()), wanted);
    // The one that was refused asks, and goes on where the other stopped.
    await b.evaluate(() => store.takeOver());
    const taken = await Promise.all([a.evaluate(() => turn("c")), b.evaluate(() => turn("d"))]);
    assert.deepEqual(new Set(taken[0]), new Set(["fenced"]));
    for (const page of [a, b]) assert.deepEqual(await page.evaluate(() => read()), [...wanted, ...taken[1]]);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});
