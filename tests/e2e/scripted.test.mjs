// A conversation with the scripted brain: streaming, tool cards, stop, steer, follow-up, approval, trouble.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, click, converse, idle, said, eachOnAPage, texts } from "./demo.mjs";

let page;
eachOnAPage((fresh) => {
  page = fresh;
});

test("says what it is", async () => {
  await converse(page, "Who are you?");
  const [[, question], [speaker, answer]] = await said(page);
  assert.equal(question, "Who are you?");
  assert.equal(speaker, "Scripted demo");
  assert.match(answer, /^I am a script, not a model/);
  // Formatted as it streamed: bold, a list, code.
  assert.equal(await page.locator(".prose strong").textContent(), "script");
  assert.equal(await page.locator(".prose li").count(), 6);
  assert.ok((await texts(page, ".prose li code")).includes("green"));
});

test("an answer is copied as it was written", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await converse(page, "Who are you?");
  await click(page, "Copy");
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^I am a \*\*script\*\*, not a model.*\n- `time` reads/s);
});

test("the end of the conversation stays in view when the message box grows", async () => {
  await converse(page, "Who are you?");
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  await page.fill("#message", "Make the page red");
  await page.press("#message", "Enter");
  await page.waitForSelector(".queue li");
  await page.waitForFunction(() => {
    const log = document.querySelector("#conversation");
    return log.scrollHeight > log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
  });
  await page.press("#message", "Escape");
  await idle(page);
});

test("streams: the beginning is there before the end", async () => {
  await ask(page, "Tell me a story");
  await page.waitForFunction(() => document.querySelector(".prose")?.textContent.includes("A steersman"));
  assert.ok(!(await page.locator(".prose").textContent()).includes("no more pages"));
  await click(page, "Stop");
  await idle(page);
});

test("thinks, calls two tools at once, and the page changes", async () => {
  const hue = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--hue"));
  const before = await hue();
  await converse(page, "What is the date? And make the page green.");
  assert.match(await page.locator(".thinking p").textContent(), /get_time and set_color/);
  assert.deepEqual(await texts(page, ".tool strong"), ["Local time", "Page colour"]);
  for (const state of await texts(page, ".tool-state")) assert.match(state, /^done in \d/);
  assert.equal(await page.locator(".tool-arguments:visible").textContent(), '{"color":"green"}');
  assert.notEqual(await hue(), before);
  const year = String(new Date().getFullYear());
  assert.ok((await said(page)).at(-1)[1].includes(year), "the answer uses the result of the clock");
});

test("Stop keeps what was said, and the answer can be tried again", async () => {
  await ask(page, "Tell me a long story");
  await page.waitForFunction(() => document.querySelector(".prose")?.textContent.length > 40);
  await page.press("#message", "Escape");
  await idle(page);
  const kept = (await said(page)).at(-1)[1];
  assert.match(kept, /^A steersman does not row/);
  assert.equal(await page.locator(".failure-title").textContent(), "Stopped");
  await click(page, "Try again");
  await page.waitForFunction(
    (length) => document.querySelector(".prose")?.textContent.length > length,
    kept.length,
  );
  assert.equal(await page.locator(".message.assistant").count(), 1, "the stopped answer is replaced");
  await page.press("#message", "Escape");
  await idle(page);
});

test("after Stop one just goes on talking", async () => {
  await ask(page, "Tell me a long story");
  await page.waitForSelector(".prose");
  await click(page, "Stop");
  await idle(page);
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
  assert.equal(
    await page.getByRole("button", { name: "Try again", exact: true }).count(),
    0,
    "a stopped answer in the middle cannot be retried",
  );
});

test("Steer goes in after the turn, Follow-up at the end", async () => {
  // The permission holds the turn open for as long as this test needs.
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  await page.fill("#message", "Make the page red");
  await page.press("#message", "Control+Enter");
  await page.fill("#message", "What time is it?");
  await page.press("#message", "Enter");
  assert.deepEqual(await texts(page, ".queue li"), ["Follow-up Make the page red", "Steer What time is it?"]);
  const download = page.waitForEvent("download");
  await click(page, "Allow");
  assert.equal((await download).suggestedFilename(), "log.txt");
  await idle(page);
  assert.equal(await page.locator(".queue").isVisible(), false);
  assert.deepEqual(await texts(page, ".message.user .speaker"), ["You", "You, steering", "You, follow-up"]);
  assert.deepEqual(await texts(page, ".tool strong"), ["Save a file", "Local time", "Page colour"]);
  const order = (await said(page)).map(([, text]) => text).filter((text) => text !== "");
  assert.deepEqual(
    order.filter((text) => !text.startsWith("The page reports")),
    ["Save the log book", "What time is it?", "Make the page red"],
  );
});

test("a queued message can be taken back", async () => {
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  await page.fill("#message", "Make the page red");
  await click(page, "Follow up");
  await click(page, "Clear the waiting messages");
  await page.waitForSelector(".queue", { state: "hidden" });
  await click(page, "Decline");
  await idle(page);
  assert.equal(await page.locator(".message.user").count(), 1);
});

test("a declined call does not run, and the model is told", async () => {
  let downloads = 0;
  page.on("download", () => downloads++);
  await ask(page, "Save the log book");
  await click(page, "Decline");
  await idle(page);
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  assert.match((await said(page)).at(-1)[1], /The user did not allow this/);
  assert.equal(downloads, 0);
});

test("Stop while a permission is asked for takes the question away", async () => {
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  await page.press("#message", "Escape");
  await idle(page);
  assert.equal(await page.locator(".tool-ask").count(), 0);
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
});

test("a tool that throws a text is an error result, and the run goes on", async () => {
  await converse(page, "break something");
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  assert.equal(await page.locator(".tool-result").textContent(), "water in the hold");
  assert.match((await said(page)).at(-1)[1], /Failed: water in the hold/);
});

test("a tool that never ends is stopped", async () => {
  await ask(page, "wait for the wind");
  await page.waitForSelector('.tool[data-state="running"] .tool-result:visible');
  assert.equal(await page.locator(".tool-result").textContent(), "No wind yet.");
  await click(page, "Stop");
  await idle(page);
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  assert.equal(await page.locator(".failure-title").textContent(), "Stopped");
});

test("a tool that never ends and does not listen is left behind", async () => {
  await page.evaluate(() => {
    agent.state.tools = agent.state.tools.map((tool) =>
      tool.name === "wait_for_wind" ? { ...tool, execute: () => new Promise(() => {}) } : tool,
    );
  });
  await ask(page, "wait for the wind");
  await page.waitForSelector('.tool[data-state="running"]');
  await click(page, "Stop");
  await idle(page);
  assert.equal(await page.locator(".tool").getAttribute("data-state"), "failed");
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
});

test("a second prompt during a run is refused and does not disturb it", async () => {
  await ask(page, "Save the log book");
  await page.waitForSelector(".tool-ask");
  const error = await page.evaluate(() =>
    agent.prompt("me too").catch(({ name, code, message }) => [name, code, message]),
  );
  assert.deepEqual(error.slice(0, 2), ["AgentBusyError", "busy"]);
  await click(page, "Decline");
  await idle(page);
  assert.equal(await page.locator(".message.user").count(), 1);
});

test("the event panel shows raw deltas and keeps a limited number", async () => {
  await page.click("#event-panel > summary");
  await converse(page, "What time is it?");
  const types = () => texts(page, ".event-list b");
  await page.waitForFunction(() =>
    document.querySelector(".event-list")?.lastChild?.textContent.startsWith("agent_end"),
  );
  const ofAgent = (await types()).filter((type) => type !== "entry_added");
  assert.deepEqual(ofAgent.slice(0, 3), ["agent_start", "turn_start", "message_start"]);
  for (const type of [
    "entry_added",
    "thinking_delta",
    "toolcall_delta",
    "tool_execution_end",
    "text_delta",
  ]) {
    assert.ok((await types()).includes(type), type);
  }
  for (let i = 0; i < 4; i++) await converse(page, "Who are you?");
  await page.waitForFunction(() => Number(document.querySelector("#event-count").textContent) > 400);
  assert.equal(await page.locator(".event-list li").count(), 400);
});

test("a new conversation is empty, for the page and for the agent", async () => {
  await converse(page, "What time is it?");
  await click(page, "New conversation");
  assert.equal(await page.locator(".message").count(), 0);
  assert.equal(
    await page.evaluate(() => agent.state.messages.filter(({ role }) => role !== "system").length),
    0,
  );
  await converse(page, "What time is it?");
  assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
});

test("usage of the run and the conversation is shown; what nobody reports is not 0", async () => {
  await page.click("#limits-panel > summary");
  const usage = () => texts(page, ".usage td");
  assert.deepEqual(await usage(), ["nothing yet", "nothing yet"]);
  await converse(page, "What time is it?");
  assert.deepEqual(await usage(), ["2 requests, tokens not reported", "2 requests, tokens not reported"]);
  await converse(page, "Who are you?");
  assert.deepEqual(await usage(), ["1 request, tokens not reported", "3 requests, tokens not reported"]);
  assert.equal(await page.locator("#usage-note").textContent(), "1 request");
  await click(page, "New conversation");
  assert.deepEqual(await usage(), ["nothing yet", "nothing yet"]);
});

test("a limit ends the run in order, and trying again goes on", async () => {
  await page.click("#limits-panel > summary");
  await page.getByLabel("Requests of a run").fill("2");
  await converse(page, "Keep watch for three bells");
  assert.equal(await page.locator(".failure-title").textContent(), "The run has reached its limit");
  assert.match(await page.locator(".failure-details").textContent(), /2 of 2 turns/);
  assert.deepEqual(
    (await said(page)).map(([, text]) => text.split(".")[0]).filter((text) => text !== ""),
    ["Keep watch for three bells", "First bell", "Second bell"],
  );
  await click(page, "Try again");
  await idle(page);
  assert.match((await said(page)).at(-1)[1], /The watch is over/);
  assert.equal(await page.locator(".failure").count(), 0);
  // Without a number there is no limit.
  await page.getByLabel("Requests of a run").fill("");
  await page.getByLabel("Tool calls of a run").fill("1");
  await converse(page, "Keep watch for three bells");
  assert.match(await page.locator(".failure-details").textContent(), /limits\.maxToolCalls/);
});
