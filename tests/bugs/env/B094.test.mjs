// B094: an old tab with an open IndexedDB connection blocked the schema upgrade of a new tab for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith } from "./browser.mjs";

const script = `
import "/dist/index.js";
import { IndexedDbStore, setValue } from "/dist/session.js";
/** Opens the database as another version of the package would, or as a tab that never lets go. */
globalThis.openRaw = (version) => new Promise((resolve, reject) => {
  const request = indexedDB.open("B094", version);
  request.onsuccess = () => { globalThis.held = request.result; resolve(performance.now()); };
  request.onerror = () => reject(request.error);
});
globalThis.errors = [];
globalThis.start = async (options = {}) => {
  globalThis.store = new IndexedDbStore({ id: "B094", database: "B094", ...options });
  store.subscribe((event) => event.type === "error" && errors.push(event.error.code));
  const begun = performance.now();
  const outcome = await store.open().then(() => "opened", ({ code }) => code);
  return { outcome, ms: performance.now() - begun };
};
globalThis.write = (value) => store.commit([setValue("app", "k", value)]).then(() => "done", ({ code }) => code);
`;

test("B094 a tab with a later version opens at once, and the old one says why it stops", async () => {
  const { page: old, url, close } = await pageWith(script);
  try {
    const later = await old.context().newPage();
    await later.goto(url);
    for (const page of [old, later]) await page.waitForFunction(() => globalThis.write);
    assert.equal((await old.evaluate(() => start())).outcome, "opened");
    assert.equal(await old.evaluate(() => write(1)), "done");
    const ms = await later.evaluate(async () => {
      const begun = performance.now();
      return (await openRaw(2)) - begun;
    });
    assert.ok(ms < 2000, `${ms} ms`);
    assert.deepEqual(await old.evaluate(() => errors), ["version"]);
    assert.equal(await old.evaluate(() => write(2)), "version");
  } finally {
    await close();
  }
});

test("B094 a tab that never lets go is an error, not a wait for ever", async () => {
  const { page: old, url, close } = await pageWith(script);
  try {
    const later = await old.context().newPage();
    await later.goto(url);
    for (const page of [old, later]) await page.waitForFunction(() => globalThis.write);
    await old.evaluate(async () => {
      await start();
      await store.close();
      await openRaw(1);
    });
    const { outcome, ms } = await later.evaluate(() => start({ version: 2 }));
    assert.equal(outcome, "blocked");
    assert.ok(ms < 2000, `${ms} ms`);
    // When it has gone, the next try succeeds.
    await old.close();
    assert.equal((await later.evaluate(() => start({ version: 2 }))).outcome, "opened");
  } finally {
    await close();
  }
});
