// The in-page model where the set-up step has not fetched its weights: the page offers the public model hub.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, click, eachOnAPage } from "./demo.mjs";

const hub = "https://huggingface.co/**";

let page;
eachOnAPage((fresh) => {
  page = fresh;
});

/** The hub, as far as this test goes. */
const answerHub = (body) =>
  page.route(hub, (route) =>
    route.fulfill({
      body,
      contentType: "application/octet-stream",
      headers: { "access-control-allow-origin": "*" },
    }),
  );

const problem = () => page.waitForSelector(".problem").then((element) => element.textContent());

test("nothing is loaded before the user asks for it", async () => {
  let requests = 0;
  await page.route(hub, (route) => {
    requests++;
    return route.abort();
  });
  await choose(page, "smollm");
  await page.waitForSelector("#load-model");
  assert.equal(await page.locator("#load-model").textContent(), "Load the model (98 MB from huggingface.co)");
  assert.equal(requests, 0);
});

test("the hub cannot be reached: says so, and can be asked again", async () => {
  await page.route(hub, (route) => route.abort("internetdisconnected"));
  await choose(page, "smollm");
  await page.click("#load-model");
  assert.match(await problem(), /huggingface\.co could not be reached/);
  assert.equal(await page.locator("#load-model").isVisible(), true);
});

test("weights that are not the right ones are not used and not kept", async () => {
  await answerHub("not a model");
  await choose(page, "smollm");
  await page.click("#load-model");
  assert.match(await problem(), /damaged: 11 bytes arrived/);
  assert.deepEqual(await page.evaluate(() => caches.keys()), []);
  assert.equal(await page.evaluate(() => agent.state.model.provider), "scripted");
});

test("loading can be cancelled", async () => {
  // The hub never answers.
  await page.route(hub, () => {});
  await choose(page, "smollm");
  await page.click("#load-model");
  await click(page, "Cancel");
  assert.equal(await problem(), "Loading was cancelled.");
});

test("a brain that is not ready keeps the message and shows what is to be done", async () => {
  await choose(page, "smollm");
  await page.waitForSelector("#load-model");
  await page.fill("#message", "hello");
  await page.press("#message", "Enter");
  assert.equal(await page.inputValue("#message"), "hello");
  assert.equal(await page.evaluate(() => document.activeElement.id), "load-model");
});
