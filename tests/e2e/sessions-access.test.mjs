// Stored conversations for everybody: axe in both colour schemes and at phone width, the drawer, the keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { audit, axe } from "./axe.mjs";
import { click, converse, idle, startDemo } from "./demo.mjs";

let demo;
before(async () => {
  demo = await startDemo();
});
after(() => demo?.close());

const phone = { viewport: { width: 380, height: 740 } };

/** Looks at a state with axe, and whether it fits into the width. */
async function check(page, state) {
  await audit(page, state);
  const { wide, outside } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - innerWidth,
    outside: [...document.querySelectorAll("button, input, textarea, summary")]
      .filter((element) => element.checkVisibility() && !element.closest("[hidden]"))
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return left < 0 || right > innerWidth;
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  }));
  assert.ok(wide <= 0, `${state}: ${wide} px too wide`);
  assert.deepEqual(outside, [], state);
}

for (const colorScheme of ["light", "dark"]) {
  for (const [width, options] of [
    ["wide", {}],
    ["phone", phone],
  ]) {
    test(`axe finds nothing in the new states, ${colorScheme}, ${width}`, async () => {
      const page = await demo.open({ colorScheme, reducedMotion: "reduce", ...options });
      const inDrawer = async () => width === "phone" && (await page.click("#open-drawer"));
      const closed = async () => width === "phone" && (await page.locator(".drawer-close").click());
      await page.evaluate(axe);
      await converse(page, `What time is it? ${"and so on and so forth ".repeat(200)}`);
      await click(page, "Edit");
      await check(page, "edit");
      await page.keyboard.press("Enter");
      await idle(page);
      await click(page, "Answer again");
      await idle(page);
      await converse(page, "and so on and so forth ".repeat(200));
      await check(page, "versions");
      await page.locator("#context > summary").click();
      await check(page, "context");
      await click(page, "Summarise now");
      await page.waitForSelector("details.summary-notice");
      await page.locator("details.summary-notice > summary").click();
      await check(page, "summary");
      await inDrawer();
      await check(page, "list");
      const more = page.locator(".session-menu").first();
      await more.click();
      await check(page, "what can be done");
      await click(page, "Export");
      await check(page, "export");
      await page.keyboard.press("Escape");
      await more.click();
      await click(page, "Rename");
      await check(page, "rename");
      await page.keyboard.press("Escape");
      await closed();
      const second = await demo.tab(page.context());
      await second.goto(page.url());
      await second.waitForSelector(".banner");
      await second.evaluate(axe);
      await check(second, "another tab");
      await second.close();
      await inDrawer();
      await more.click();
      await click(page, "Delete");
      await page.waitForSelector(".session-note");
      await check(page, "deleted");
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }
}

test("axe finds nothing where the browser keeps nothing", async () => {
  for (const options of [{}, { ...phone, colorScheme: "dark" }]) {
    const page = await demo.open({
      ...options,
      init: () => {
        IDBFactory.prototype.open = () => {
          throw new DOMException("denied", "SecurityError");
        };
      },
    });
    await page.waitForSelector(".banner.bad");
    await page.evaluate(axe);
    await check(page, "in memory only");
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test("the drawer on a phone: keyboard, focus, Esc", async () => {
  const page = await demo.open(phone);
  await converse(page, "What time is it?");
  await click(page, "New conversation");
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  await page.locator("#open-drawer").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#drawer[open]");
  assert.equal(await focused(), "import", "the focus is in the drawer");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#drawer").getAttribute("open"), null);
  assert.equal(await focused(), "open-drawer", "and goes back");
  await page.keyboard.press("Enter");
  await page.locator(".session-open").click();
  await page.waitForSelector(".message");
  assert.equal(await page.locator("#drawer").getAttribute("open"), null, "it makes room for what was chosen");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
