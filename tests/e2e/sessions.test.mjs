// Conversations are kept: the list, reloading, files, other tabs, and a browser that keeps nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { ask, choose, click, converse, idle, said, eachOnAPage, texts } from "./demo.mjs";

let demo;
let page;
eachOnAPage((fresh, started) => {
  page = fresh;
  demo = started;
});

const titles = () => texts(page, ".session-title");
const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);
const waitForTitles = (expected) =>
  page.waitForFunction(
    (wanted) =>
      JSON.stringify([...document.querySelectorAll(".session-title")].map((title) => title.textContent)) ===
      wanted,
    JSON.stringify(expected),
  );

/** Unfolds what can be done with a conversation of the list. */
const more = (title) => page.getByRole("button", { name: `More for ${title}`, exact: true }).click();
const note = () => page.locator(".session-note").textContent();

/** Exports a conversation. Gives the name and the text of the file. */
async function exported(title, format) {
  await more(title);
  await click(page, "Export");
  await page.check(`.session-more [value=${format}]`);
  const coming = page.waitForEvent("download");
  await click(page, "Save");
  const download = await coming;
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

async function importFile(name, text) {
  const choosing = page.waitForEvent("filechooser");
  await click(page, "Import");
  await (await choosing).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.waitForFunction(
    (file) => document.querySelector(".session-note")?.textContent.includes(file),
    name,
  );
}

test("reloading brings the conversation back, tools and all", async () => {
  await converse(page, "What time is it?");
  await converse(page, "Who are you?");
  const before = await said(page);
  await page.reload();
  await page.waitForSelector(".message");
  assert.deepEqual(await said(page), before);
  assert.equal(await page.locator(".opening").count(), 0);
  assert.match(await page.locator(".tool-state").textContent(), /^done in \d/);
  assert.match(await page.title(), /^What time is it\? · /);
  // The model reads what was said before, too.
  await converse(page, "What time is it?");
  const roles = await page.evaluate(() =>
    agent.state.messages.map(({ role }) => role).filter((role) => role === "user"),
  );
  assert.equal(roles.length, 3);
});

test("a bare address begins a new conversation, and nothing empty is listed", async () => {
  assert.deepEqual(await titles(), []);
  await click(page, "New conversation");
  await page.reload();
  await page.waitForSelector(".empty");
  await converse(page, "What time is it?");
  await waitForTitles(["What time is it?"]);
});

test("the list: newest first, opened with a click, with Back, renamed", async () => {
  await converse(page, "What time is it?");
  await click(page, "New conversation");
  await converse(page, "Make the page green");
  await waitForTitles(["Make the page green", "What time is it?"]);
  assert.match((await texts(page, ".session-facts"))[0], /^just now · \d messages$/);
  await page.locator(".session-open").nth(1).click();
  await page.waitForFunction(() => document.querySelector(".said")?.textContent === "What time is it?");
  assert.equal(await page.locator("[aria-current] .session-title").textContent(), "What time is it?");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".said")?.textContent === "Make the page green");

  await more("What time is it?");
  await click(page, "Rename");
  await page.keyboard.type("The clock");
  await page.keyboard.press("Enter");
  await waitForTitles(["The clock", "Make the page green"]);
  assert.equal(await focused(), "⋯", "the focus goes back to the button");
  // The one that is open, too.
  await more("Make the page green");
  await click(page, "Rename");
  await page.keyboard.type("Paint");
  await page.keyboard.press("Enter");
  await waitForTitles(["Paint", "The clock"]);
  assert.match(await page.title(), /^Paint · /);
  await page.reload();
  await waitForTitles(["Paint", "The clock"]);
});

test("a deleted conversation can be brought back", async () => {
  await converse(page, "What time is it?");
  const before = await said(page);
  await more("What time is it?");
  await click(page, "Delete");
  await waitForTitles([]);
  // The list may hear of it from the store, before the note comes.
  await page.waitForSelector(".session-note");
  assert.equal(await focused(), "Undo");
  assert.equal(await page.locator(".message").count(), 0);
  await page.keyboard.press("Enter");
  await waitForTitles(["What time is it?"]);
  await page.waitForSelector(".message");
  assert.deepEqual(await said(page), before);
  await more("What time is it?");
  await click(page, "Delete");
  await waitForTitles([]);
  await page.reload();
  await page.waitForSelector(".empty");
  assert.deepEqual(await titles(), []);
});

for (const format of ["jsonl", "html"]) {
  test(`what is exported as ${format} can be imported again, without the keys that were in it`, async () => {
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    await converse(page, `What time is it? My key is ${key}`);
    const before = await said(page);
    const title = (await titles())[0];
    const file = await exported(title, format);
    assert.match(file.name, new RegExp(`^What-time-is-it-.*\\.${format}$`));
    assert.ok(!file.text.includes(key), "the key is left out");
    assert.match(await note(), /One place that looked like a key was replaced/);
    await more(title);
    await click(page, "Delete");
    await waitForTitles([]);
    await importFile(file.name, file.text);
    await page.waitForSelector(".message");
    const after = await said(page);
    assert.equal(after.length, before.length);
    assert.match(after[0][1], /^What time is it\? My key is \[redacted\]/);
    assert.deepEqual(after.slice(1), before.slice(1));
    assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
  });
}

test("a damaged file says what was mended, and what is no session is refused", async () => {
  await converse(page, "Who are you?");
  const { text } = await exported("Who are you?", "jsonl");
  const lines = text.trimEnd().split("\n");
  lines.splice(2, 0, "{broken");
  await importFile("damaged.jsonl", `${lines.join("\n")}\n{"type":"mess`);
  assert.match(await note(), /Imported damaged\.jsonl\./);
  assert.match(await note(), /Line 3 could not be read and was left out\./);
  assert.match(await note(), /ends in the middle of an entry/);
  assert.equal((await titles()).length, 2, "a copy of what is there already");
  await importFile("shopping.txt", "milk\neggs\n");
  assert.match(await note(), /This is not a session file/);
  await importFile("nothing.jsonl", "");
  assert.match(await note(), /The file is empty/);
});

test("a long conversation shows its end first, and the rest when asked", async () => {
  const line = (value) => `${JSON.stringify(value)}\n`;
  const timestamp = "2026-01-02T03:04:05.000Z";
  let text = line({ type: "session", version: 3, id: "a-long-one", timestamp, cwd: "/project" });
  for (let i = 0; i < 1000; i++) {
    const parentId = i === 0 ? null : `e${i - 1}`;
    const message = { role: "user", content: `message ${i}`, timestamp: 0 };
    text += line({ type: "message", id: `e${i}`, parentId, timestamp, message });
  }
  await importFile("long.jsonl", text);
  await page.waitForSelector(".message");
  const shown = () => texts(page, ".said");
  assert.deepEqual([(await shown()).length, (await shown())[0]], [200, "message 800"]);
  await click(page, "Show earlier messages");
  assert.deepEqual([(await shown()).length, (await shown())[0]], [400, "message 600"]);
  assert.equal(await page.evaluate(() => document.activeElement.id), "conversation");
  assert.ok((await page.$eval("#conversation", (log) => log.scrollTop)) > 1000, "one stays where one was");
});

test("a file can be dropped on the page", async () => {
  await converse(page, "Who are you?");
  const { text } = await exported("Who are you?", "jsonl");
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "dropped.jsonl"));
    const drop = (type) =>
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    drop("dragover");
    globalThis.veiled = !document.querySelector("#drop").hidden;
    drop("drop");
  }, text);
  await page.waitForSelector(".session-note:has-text('Imported dropped.jsonl')");
  assert.equal(await page.evaluate(() => globalThis.veiled), true);
  assert.equal(await page.locator("#drop").isVisible(), false);
});

test("a second tab follows, sends, and can take over", async () => {
  await converse(page, "What time is it?");
  const second = await demo.tab(page.context());
  await second.goto(page.url());
  await second.waitForSelector(".banner");
  assert.equal(await second.locator(".banner-title").textContent(), "Open in another tab");
  assert.equal(await second.getByRole("button", { name: "Edit", exact: true }).count(), 0);
  await converse(page, "Make the page green");
  await second.waitForFunction(() => document.querySelectorAll(".message.user").length === 2);
  await second.waitForFunction(() => document.querySelectorAll(".message").length === 6);
  assert.deepEqual(await said(second), await said(page));

  // What is sent while the first tab answers is being sent until that tab has it stored.
  await ask(page, "Wait for wind");
  await page.waitForSelector('.tool[data-state="running"]');
  await second.waitForSelector('.tool[data-state="elsewhere"]:has-text("in the other tab")');
  await ask(second, "Who are you?");
  await second.waitForSelector(".queue li:has-text('Sending Who are you?')");
  await click(page, "Stop");
  await second.waitForSelector(".queue", { state: "hidden" });
  await second.waitForSelector('.tool[data-state="elsewhere"]', { state: "detached" });
  await page.waitForSelector(".message.user:has-text('Who are you?') + .message.assistant");
  await idle(page);
  assert.equal((await said(page)).at(-2)[1], "Who are you?");
  await second.waitForFunction(
    (count) => document.querySelectorAll(".message").length === count,
    (await said(page)).length,
  );
  assert.deepEqual(await said(second), await said(page));

  await click(second, "Continue here");
  await second.waitForSelector(".banner", { state: "detached" });
  await page.waitForSelector(".banner");
  await converse(second, "Who are you?");
  await page.waitForFunction(
    (count) => document.querySelectorAll(".message").length === count,
    (await said(second)).length,
  );
  assert.deepEqual(await said(page), await said(second));
  // The tab that writes is closed: the other one goes on by itself.
  assert.deepEqual(second.problems, []);
  await second.close();
  await page.waitForSelector(".banner", { state: "detached" });
  await converse(page, "What time is it?");
  assert.equal(await page.locator(".message.user").count(), 6);
});

test("a conversation that is deleted in another tab can be kept", async () => {
  await converse(page, "What time is it?");
  const before = await said(page);
  const second = await demo.tab(page.context());
  await second.goto(new URL("/", page.url()).href);
  await second.getByRole("button", { name: "More for What time is it?" }).click();
  await click(second, "Delete");
  await page.waitForSelector(".banner.bad");
  assert.match(await page.locator(".banner-title").textContent(), /deleted in another tab/);
  await click(page, "Keep it");
  await page.waitForSelector(".banner", { state: "detached" });
  await waitForTitles(["What time is it?"]);
  // The list may hear of the copy before it is open.
  await page.waitForSelector(".message");
  assert.deepEqual(await said(page), before);
  await converse(page, "Who are you?");
});

test("an address of a conversation that is not here says so", async () => {
  await page.goto(new URL("/?conversation=4cb1d8f6-0000-4000-8000-000000000000", page.url()).href);
  await page.waitForSelector(".banner");
  assert.match(await page.locator(".banner-title").textContent(), /not in this browser/);
  await converse(page, "What time is it?");
  assert.equal(await page.locator(".banner").count(), 0);
  await waitForTitles(["What time is it?"]);
});

test("a message that was never answered is answered after a reload", async () => {
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  await page.reload();
  await page.waitForSelector(".message");
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed", "the call never ran");
  await converse(page, "Tell me a story about bells");
  await page.goto(new URL("/", page.url()).href);
  await page.waitForSelector(".empty");
  await ask(page, "What time is it?");
  await page.waitForSelector(".message.user");
  await waitForTitles(["What time is it?", "Save the log book"]);
  await page.reload();
  await page.waitForSelector(".banner");
  assert.match(await page.locator(".banner-title").textContent(), /was not answered/);
  await click(page, "Answer it now");
  await idle(page);
  assert.equal(await page.locator(".banner").count(), 0);
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
});

test("a key is in no storage", async () => {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  mock.on({ userMessage: "hello" }, { content: "Hello." });
  await mock.start();
  try {
    await choose(page, "endpoint");
    await page.fill("[name=base-url]", `${mock.url}/v1`);
    await page.fill("[name=model]", "test-model");
    await page.fill("[name=key]", "key-that-nobody-may-keep");
    await click(page, "Use this endpoint");
    await converse(page, "hello");
    // The server refuses this one, and quotes the key perhaps.
    await converse(page, "nothing matches this");
    await waitForTitles(["hello"]);
  } finally {
    await mock.stop();
  }
  const stored = await page.evaluate(async () => {
    const opened = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const all = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href];
    for (const { name } of await indexedDB.databases()) {
      const db = await opened(indexedDB.open(name));
      for (const store of db.objectStoreNames)
        all.push(JSON.stringify(await opened(db.transaction(store).objectStore(store).getAll())));
      db.close();
    }
    return all.join("\n");
  });
  assert.ok(stored.includes("Hello."), "the conversation is there");
  assert.ok(!stored.includes("key-that-nobody-may-keep"));
});

test("a browser that keeps nothing: the conversation is in memory, and can be saved", async () => {
  await page.context().close();
  page = await demo.open({
    init: () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("denied", "SecurityError");
      };
    },
  });
  await page.waitForSelector(".banner.bad");
  assert.match(await page.locator(".banner").textContent(), /keeps nothing.*memory only/);
  assert.match(await page.locator(".storage-note").textContent(), /keeps nothing/);
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
  const coming = page.waitForEvent("download");
  await click(page, "Save a copy");
  const download = await coming;
  assert.equal(download.suggestedFilename(), "What-time-is-it.jsonl");
  assert.match(readFileSync(await download.path(), "utf8"), /What time is it\?/);
});

test("a full browser: said at once, nothing is lost, and stored as soon as there is room", async () => {
  await converse(page, "What time is it?");
  await page.evaluate(() => {
    const { put, add } = IDBObjectStore.prototype;
    const full = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    IDBObjectStore.prototype.put = full;
    IDBObjectStore.prototype.add = full;
    globalThis.makeRoom = () => Object.assign(IDBObjectStore.prototype, { put, add });
  });
  await converse(page, "Who are you?");
  await page.waitForSelector(".banner.bad");
  assert.match(
    await page.locator(".banner").textContent(),
    /storage of this browser is full.*not stored yet/,
  );
  const coming = page.waitForEvent("download");
  await click(page, "Save a copy");
  assert.match(readFileSync(await (await coming).path(), "utf8"), /Who are you\?/);
  await page.evaluate(() => globalThis.makeRoom());
  await converse(page, "Make the page green");
  await page.waitForSelector(".banner", { state: "detached" });
  const before = await said(page);
  await page.reload();
  await page.waitForSelector(".message");
  assert.deepEqual(await said(page), before);
});
