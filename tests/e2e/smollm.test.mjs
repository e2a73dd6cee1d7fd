// A real model in the page: SmolLM2-135M calls tools and answers. The scripted brain is switched off.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, choose, click, idle, said, startDemo, texts } from "./demo.mjs";

// One thread of a small machine: reading the instructions alone can take a minute.
const patience = 300_000;

let demo;
let page;
before(async () => {
  demo = await startDemo({ weights: true });
  page = await demo.open();
  await choose(page, "smollm");
});
after(async () => {
  await demo?.close();
});

async function converse(text) {
  await click(page, "New conversation");
  await ask(page, text);
  await idle(page, patience);
}

/** The pieces of the event panel: what the engine sent, and the deltas made from it. */
async function pieces(type) {
  const rows = await page.$$eval(".event-list li", (items) =>
    items.map((item) => [item.querySelector("b").textContent, item.querySelector("span").textContent]),
  );
  return rows.filter(([kind]) => kind === type).map(([, text]) => JSON.parse(text));
}

/** The calls that the model wrote, put together from the engine's own chunks. */
async function callsOfModel() {
  const calls = [];
  for (const chunk of await pieces("provider")) {
    for (const { function: call } of chunk.choices?.[0]?.delta?.tool_calls ?? []) {
      if (call.name) calls.push({ name: call.name, arguments: "" });
      calls.at(-1).arguments += call.arguments ?? "";
    }
  }
  return calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) }));
}

test("it loads from this server, on request, and shows how far it is", async () => {
  assert.equal(await page.locator("#load-model").textContent(), "Load the model (98 MB from this server)");
  await ask(page, "What time is it?");
  assert.equal(await page.locator(".message").count(), 0, "nothing is sent before it is loaded");
  await page.fill("#message", "");
  await page.click("#load-model");
  await page.waitForSelector("progress");
  await page.waitForSelector("text=Loaded and ready.", { timeout: patience });
  // From here on the script cannot be what answers.
  await page.evaluate(() => {
    document.querySelector("#brain-scripted").remove();
  });
  assert.equal(await page.evaluate(() => agent.state.model.provider), "smollm");
  await page.click("#event-panel > summary");
});

test("asked for the time, it calls the clock, and answers with what the clock said", async () => {
  await converse("What time is it?");
  assert.deepEqual(await callsOfModel(), [{ name: "get_time", arguments: {} }]);
  assert.deepEqual(await texts(page, '.tool[data-state="done"] strong'), ["Local time"]);
  const [[, question], , [speaker, answer]] = await said(page);
  assert.equal(question, "What time is it?");
  assert.equal(speaker, "SmolLM2 in this page");
  const weekday = new Date().toLocaleString("en-GB", { weekday: "long" });
  assert.ok(answer.includes(weekday) || answer.includes(String(new Date().getFullYear())), answer);
});

test("asked for a colour, it calls with that colour, piece by piece", async () => {
  await converse("Make the page green please");
  assert.deepEqual(await callsOfModel(), [{ name: "set_color", arguments: { color: "green" } }]);
  assert.ok((await pieces("toolcall_delta")).length > 2, "the arguments streamed");
  assert.equal(await page.evaluate(() => document.documentElement.style.getPropertyValue("--hue")), "148");

  await converse("Can you make the page purple?");
  assert.deepEqual(await callsOfModel(), [{ name: "set_color", arguments: { color: "purple" } }]);
  assert.equal(await page.evaluate(() => document.documentElement.style.getPropertyValue("--hue")), "305");
});

test("asked for a fact, it answers without a tool, word by word, and tokens are counted", async () => {
  await converse("What is the capital of France?");
  assert.deepEqual(await callsOfModel(), []);
  assert.match((await said(page)).at(-1)[1], /Paris/);
  assert.ok((await pieces("text_delta")).length > 3);
  assert.match(await page.locator(".facts").textContent(), /tokens in \(\d+ cached\), \d+ out/);
});

test("Stop ends it, and it can go on afterwards", async () => {
  await click(page, "New conversation");
  await ask(page, "Write a long story about the sea.");
  await page.waitForSelector(".prose", { timeout: patience });
  await page.press("#message", "Escape");
  await idle(page, patience);
  assert.equal(await page.locator(".failure-title").textContent(), "Stopped");
  await converse("What is the capital of France?");
  assert.match((await said(page)).at(-1)[1], /Paris/);
  assert.deepEqual(page.problems, []);
});
