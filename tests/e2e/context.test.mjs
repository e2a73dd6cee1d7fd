// The context of the model: how full it is, and older messages that become a summary.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { choose, click, converse, said, eachOnAPage, texts } from "./demo.mjs";

let page;
eachOnAPage((fresh) => {
  page = fresh;
});

const used = () => page.locator("#context .summary-note").textContent();
/** Some thousand characters that say nothing. */
const long = (word) => `${word} ${"and so on and so forth ".repeat(200)}`;
const openContext = () => page.locator("#context > summary").click();

test("the meter counts", async () => {
  // The conversation is ready a moment after the page.
  await page.waitForFunction(() => document.querySelector("#context .summary-note").textContent !== "");
  assert.match(await used(), /^\d+ of 4,000 tokens$/);
  await converse(page, "Who are you?");
  const tokens = Number(/^(\d+) of/.exec(await used())[1]);
  assert.ok(tokens > 150 && tokens < 1500, `${tokens} tokens`);
});

test("a full context is summarised by itself; one sees where, and what the model reads", async () => {
  await converse(page, "What time is it?");
  for (const word of ["first", "second", "third"]) await converse(page, long(word));
  await page.waitForSelector("details.summary-notice");
  assert.equal(await page.locator(".summary-notice.running").count(), 0);
  const notice = page.locator("details.summary-notice").first();
  assert.match(
    await notice.locator("summary").textContent(),
    /^Older messages were summarisedat [\d,]+ tokens$/,
  );
  await notice.locator("summary").click();
  assert.match(await notice.locator(".prose").textContent(), /What was asked.*What time is it\?/s);
  // Everything is still to be seen; the model reads the summary.
  assert.equal(await page.locator(".message.user").count(), 4);
  const roles = await page.evaluate(() => agent.state.messages.map(({ role }) => role));
  assert.ok(roles.includes("compactionSummary"));
  assert.ok(roles.filter((role) => role === "user").length < 4);
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 2);
  const before = await texts(page, ".message, .summary-notice");
  await page.reload();
  await page.waitForSelector(".message");
  assert.deepEqual((await texts(page, ".message, .summary-notice")).length, before.length);
});

test("by hand, with a wish; unknown until the next answer", async () => {
  for (const word of ["first", "second"]) await converse(page, long(word));
  await openContext();
  await page.getByLabel("What the summary should keep").fill("The colour of the sails");
  await page.keyboard.press("Enter");
  await page.waitForSelector("details.summary-notice");
  await page.waitForFunction(() => document.querySelector("#context").open === false);
  assert.match(await used(), /^unknown until the next answer$/);
  assert.match(await page.locator("details.summary-notice").textContent(), /The colour of the sails/);
  assert.equal(
    await page.evaluate(() => document.activeElement.localName),
    "summary",
    "the focus is not lost",
  );
  await converse(page, "What time is it?");
  assert.match(await used(), /^[\d,]+ of 4,000 tokens$/);
  // Nothing new was said since.
  await openContext();
  await click(page, "Summarise now");
  await page.waitForSelector("#context .problem:visible");
});

test("too little to summarise is said in words", async () => {
  await converse(page, "What time is it?");
  await openContext();
  await click(page, "Summarise now");
  await page.waitForSelector("#context .problem:visible");
  assert.match(await page.locator("#context .problem").textContent(), /too little to summarise/);
  await page.locator("#context").getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator("#context .problem").count(), 0);
});

test("a summary can be cancelled, and nothing has changed", async () => {
  for (const word of ["first", "second"]) await converse(page, long(word));
  const before = await said(page);
  await openContext();
  await click(page, "Summarise now");
  await page.waitForSelector(".summary-notice.running progress");
  assert.equal(await page.locator(".message-tools button:visible").count(), 0);
  await click(page, "Cancel");
  await page.waitForSelector(".summary-notice", { state: "detached" });
  assert.match(await page.locator("#context .problem").textContent(), /Cancelled\. Nothing has changed/);
  assert.deepEqual(await said(page), before);
});

test("a brain that gives no summary: said in its words, and the conversation goes on", async () => {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  mock.on({ userMessage: /conversation/ }, { content: "" });
  mock.on({ userMessage: "hello" }, { content: long("Hello.") });
  await mock.start();
  try {
    await choose(page, "endpoint");
    await page.fill("[name=base-url]", `${mock.url}/v1`);
    await page.fill("[name=model]", "test-model");
    await click(page, "Use this endpoint");
    // Of a server nobody knows the window; the usual one is large.
    assert.match(await used(), /of 128,000 tokens/);
    await page.evaluate(() => {
      agent.state.model = { ...agent.state.model, contextWindow: 3000 };
    });
    for (let i = 0; i < 3; i++) await converse(page, `hello ${"again ".repeat(100)}`);
    await page.waitForSelector(".failure:has-text('could not be summarised')");
    assert.equal(await page.locator(".summary-notice").count(), 0);
    assert.equal(await page.locator(".message.user").count(), 3);
  } finally {
    await mock.stop();
  }
});
