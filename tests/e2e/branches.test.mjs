// Branches of a conversation: other words, other answers, and going from one version to another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, click, converse, idle, said, eachOnAPage, texts } from "./demo.mjs";

let page;
eachOnAPage((fresh) => {
  page = fresh;
});

const versions = () => texts(page, ".versions span");
const wishes = () => texts(page, ".message.user .said");

/** Writes a message anew, as one does with a keyboard. */
async function edit(place, text) {
  await page.getByRole("button", { name: "Edit", exact: true }).nth(place).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await idle(page);
}

test("a message is written anew, and both versions are kept, over a reload too", async () => {
  await converse(page, "What time is it?");
  await converse(page, "Make the page green");
  const before = await said(page);
  await edit(0, "Who are you?");
  assert.deepEqual(await wishes(), ["Who are you?"]);
  assert.match((await said(page)).at(-1)[1], /^I am a script/);
  assert.deepEqual(await versions(), ["2 of 2"]);

  await click(page, "Previous version");
  await page.waitForFunction(() => document.querySelector(".versions span")?.textContent === "1 of 2");
  assert.deepEqual(await said(page), before, "with all that followed");
  await page.reload();
  await page.waitForSelector(".message");
  assert.deepEqual(await said(page), before, "where one was");
  assert.deepEqual(await versions(), ["1 of 2"]);
  // What is said now follows this version.
  await converse(page, "Make the page red");
  await click(page, "Next version");
  await page.waitForFunction(() => document.querySelectorAll(".message").length === 2);
  await click(page, "Previous version");
  await page.waitForFunction(() => document.querySelectorAll(".message.user").length === 3);
  assert.deepEqual(await wishes(), ["What time is it?", "Make the page green", "Make the page red"]);
});

test("giving up an edit changes nothing", async () => {
  await converse(page, "What time is it?");
  await click(page, "Edit");
  assert.equal(await page.locator(".editor textarea").inputValue(), "What time is it?");
  await page.keyboard.type(" And the date?");
  await page.keyboard.press("Escape");
  assert.deepEqual(await wishes(), ["What time is it?"]);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Edit");
  assert.deepEqual(await versions(), []);
});

test("an answer is given again", async () => {
  await converse(page, "What time is it?");
  await click(page, "Answer again");
  await idle(page);
  assert.deepEqual(await wishes(), ["What time is it?"]);
  assert.deepEqual(await versions(), ["2 of 2"]);
  assert.equal(await page.locator(".tool").count(), 1);
  await click(page, "Answer again");
  await idle(page);
  assert.deepEqual(await versions(), ["3 of 3"]);
  // The model is told one of them only.
  assert.deepEqual(
    await page.evaluate(() =>
      agent.state.messages.map(({ role }) => role).filter((role) => role !== "system"),
    ),
    ["user", "assistant", "toolResult", "assistant"],
  );
});

test("with the keyboard, and heard", async () => {
  await converse(page, "What time is it?");
  await edit(0, "What day is it?");
  await edit(0, "Who are you?");
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) globalThis.heard.push(node.textContent);
    }).observe(document.getElementById("announcer"), { childList: true, subtree: true });
  });
  await page.getByRole("button", { name: "Previous version" }).focus();
  const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (const expected of ["2 of 3", "1 of 3"]) {
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (text) => document.querySelector(".versions span")?.textContent === text,
      expected,
    );
    assert.equal(await label(), "Previous version", "the focus stays");
  }
  // At the first version it does nothing, and keeps the focus.
  await page.keyboard.press("Enter");
  assert.deepEqual(await versions(), ["1 of 3"]);
  assert.equal(await label(), "Previous version");
  assert.deepEqual(await page.evaluate(() => globalThis.heard), ["Version 2 of 3", "Version 1 of 3"]);
  assert.equal(await page.getByRole("group", { name: "Versions" }).count(), 1);
});

test("a stopped answer that is tried again stays as a version", async () => {
  await ask(page, "Tell me a long story");
  await page.waitForFunction(() => document.querySelector(".prose")?.textContent.length > 40);
  await page.press("#message", "Escape");
  await idle(page);
  await edit(0, "Who are you?");
  await click(page, "Previous version");
  await page.waitForSelector(".failure.stopped");
  assert.match((await said(page)).at(-1)[1], /^A steersman/);
  assert.equal(await page.getByRole("button", { name: "Try again", exact: true }).count(), 1);
});

test("while an answer is given, nothing can be written anew", async () => {
  await converse(page, "What time is it?");
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  assert.equal(await page.locator(".message-tools button:visible").count(), 0);
  await click(page, "Decline");
  await idle(page);
  assert.equal(await page.getByRole("button", { name: "Edit", exact: true }).count(), 2);
});
