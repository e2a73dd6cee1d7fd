// For everybody: keyboard only, screen readers, both colour schemes, narrow windows, less motion.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { audit, axe } from "./axe.mjs";
import { ask, choose, click, converse, idle, said, startDemo, texts } from "./demo.mjs";

let demo;
before(async () => {
  demo = await startDemo();
});
after(() => demo?.close());

/** Opens the page, runs the test, closes it, and looks whether something went wrong. */
async function inPage(options, action) {
  const page = await demo.open(options);
  await action(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, () =>
    inPage({ colorScheme }, async (page) => {
      // Through the protocol: the page's own policy does not allow inline scripts.
      await page.evaluate(axe);
      await audit(page, "empty");
      await choose(page, "smollm");
      await page.waitForSelector("#load-model");
      await audit(page, "settings of the model");
      await choose(page, "endpoint");
      await page.fill("[name=base-url]", "nonsense");
      await click(page, "Use this endpoint");
      await audit(page, "settings of the endpoint");
      await choose(page, "scripted");
      await page.click("#event-panel > summary");
      await converse(page, "What time is it? Make the page yellow.");
      await converse(page, "Who are you?");
      await converse(page, "break something");
      await audit(page, "conversation with tools, in yellow");
      await page.evaluate(() => document.querySelector(".thinking").setAttribute("open", ""));
      await ask(page, "Save the log book");
      await page.waitForSelector(".tool-ask");
      await page.fill("#message", "and then?");
      await page.press("#message", "Enter");
      await audit(page, "permission and queue");
      await page.press("#message", "Escape");
      await idle(page);
      await audit(page, "stopped");
    }));
}

test("on a screen that is touched Enter begins a new line, and the hint speaks of no keys", () =>
  inPage({ hasTouch: true, isMobile: true, viewport: { width: 380, height: 740 } }, async (page) => {
    assert.equal(await page.locator("#hint").textContent(), "");
    await page.fill("#message", "What time is it?");
    await page.press("#message", "Enter");
    await page.locator("#message").pressSequentially("Please.");
    assert.equal(await page.inputValue("#message"), "What time is it?\nPlease.");
    await click(page, "Send");
    await idle(page);
    assert.equal(await page.locator('.tool[data-state="done"]').count(), 1);
  }));

test("every colour of the page keeps its contrast", () =>
  inPage({}, async (page) => {
    await page.evaluate(axe);
    for (const color of ["red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray"]) {
      await click(page, "New conversation");
      await converse(page, `Make the page ${color}`);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await audit(page, `${color}, ${colorScheme}`);
      }
    }
  }));

test("keyboard only: from the address bar to a saved file", () =>
  inPage({}, async (page) => {
    const press = (key) => page.keyboard.press(key);
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: element } = document;
        return element.id || element.textContent.trim();
      });
    /** Tabs until the element with this id or text has the focus. */
    async function tabTo(target, key = "Tab") {
      for (let i = 0; i < 40; i++) {
        if ((await focused()) === target) return;
        await press(key);
      }
      assert.fail(`${target} cannot be reached with ${key}`);
    }
    assert.equal(await focused(), "message", "one can begin to type at once");
    await tabTo("Skip to the message box", "Shift+Tab");
    await press("Enter");
    assert.equal(await focused(), "message");
    await page.keyboard.type("What time is it?");
    await press("Enter");
    await idle(page);
    assert.equal(await focused(), "message");

    // The choice of the brain is one stop, with arrows inside.
    await tabTo("brain-scripted", "Shift+Tab");
    await press("ArrowDown");
    assert.equal(await focused(), "brain-smollm");
    await press("ArrowUp");

    await tabTo("message");
    await page.keyboard.type("Save the log book");
    await press("Enter");
    await page.waitForSelector(".tool-ask");
    assert.equal(await focused(), "message", "the question does not take the focus away");
    await tabTo("Allow", "Shift+Tab");
    const download = page.waitForEvent("download");
    await press("Enter");
    await download;
    assert.equal(await focused(), "message", "the focus is not lost with the button");
    await idle(page);

    await page.keyboard.type("Tell me a long story");
    await press("Enter");
    await page.waitForSelector(".message:last-child .prose");
    await tabTo("Stop");
    await press("Space");
    await idle(page);
    assert.equal(await focused(), "message");
    await tabTo("Try again", "Shift+Tab");
    await press("Enter");
    assert.equal(await focused(), "message");
    await press("Escape");
    await idle(page);
  }));

test("a screen reader hears answers and tools once they are finished, and no single words", () =>
  inPage({}, async (page) => {
    await page.evaluate(() => {
      globalThis.heard = [];
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes) globalThis.heard.push(node.textContent);
      }).observe(document.getElementById("announcer"), { childList: true, subtree: true });
    });
    await converse(page, "Make the page green");
    await converse(page, "Who are you?");
    await ask(page, "Save the log book");
    await click(page, "Decline");
    await idle(page);
    const heard = await page.evaluate(() => globalThis.heard);
    assert.equal(heard[0], "Tool Page colour finished: The page is green now.");
    assert.match(heard[1], /^Scripted demo: The page reports/);
    assert.match(heard[2], /^Scripted demo: I am a/);
    assert.match(heard[3], /^Save a file needs your permission/);
    assert.match(heard[4], /^Tool Save a file failed/);
    assert.equal(heard.length, 6);
    assert.equal(await page.getAttribute("#announcer", "aria-live"), "polite");
    assert.equal(await page.getAttribute("#conversation", "aria-live"), "off");
    // Cards and messages have names to jump to.
    assert.equal(await page.getByRole("region", { name: "Tool: Page colour" }).count(), 1);
    assert.equal(await page.getByRole("article", { name: "You" }).count(), 3);
  }));

test("380 pixels: nothing sticks out, whatever is said", () =>
  inPage({ viewport: { width: 380, height: 740 } }, async (page) => {
    const fits = async (state) => {
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll("body *")]
          .filter(
            (element) =>
              element.scrollWidth > element.clientWidth + 1 &&
              getComputedStyle(element).overflowX !== "visible" &&
              !element.closest(".visually-hidden, .summary-note"),
          )
          .map((element) => element.className || element.tagName),
      );
      assert.deepEqual(wide, [], state);
      const { scrollWidth, scrollHeight } = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return { scrollWidth, scrollHeight };
      });
      assert.ok(scrollWidth <= 380, `${state}: ${scrollWidth} px wide`);
      assert.ok(scrollHeight <= 740, `${state}: ${scrollHeight} px high`);
    };
    await fits("empty");
    await choose(page, "endpoint");
    await fits("endpoint");
    await choose(page, "smollm");
    await page.waitForSelector("#load-model");
    await fits("model");
    await choose(page, "scripted");
    await converse(page, "Make it green, tell me the time, break it");
    await page.click("#event-panel > summary");
    await fits("tools and events");
    await page.click("#limits-panel > summary");
    await fits("limits");
    await ask(page, `Save ${"averylongword".repeat(20)}`);
    await page.waitForSelector(".tool-ask");
    await fits("permission");
    await page.press("#message", "Escape");
    await idle(page);
  }));

test("less motion: nothing moves while an answer is awaited", () =>
  inPage({ reducedMotion: "reduce" }, async (page) => {
    await ask(page, "Tell me a long story");
    await page.waitForSelector(".prose");
    assert.deepEqual(
      await page.evaluate(() => document.getAnimations().map((animation) => animation.constructor.name)),
      [],
    );
    await page.press("#message", "Escape");
    await idle(page);
  }));

test("the end stays in view, unless one has scrolled up", () =>
  inPage({ viewport: { width: 700, height: 500 } }, async (page) => {
    const distance = () =>
      page.$eval("#conversation", (log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));
    await converse(page, "Who are you?");
    // What can be done with an answer comes when it is over, below it.
    await page.waitForFunction(() => {
      const log = document.querySelector("#conversation").getBoundingClientRect();
      return document.querySelector(".again")?.getBoundingClientRect().bottom <= log.bottom;
    });
    await ask(page, "Tell me a long story");
    await page.waitForFunction(() => document.querySelectorAll(".message:last-child .prose p").length > 3);
    await page.waitForFunction(() => {
      const log = document.querySelector("#conversation");
      return log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    });
    await page.$eval("#conversation", (log) => log.scrollTo(0, 0));
    await page.waitForSelector("#jump:visible");
    await page.waitForFunction(() => document.querySelectorAll(".message:last-child .prose p").length > 4);
    assert.ok((await distance()) > 100, "reading is not disturbed");
    await page.click("#jump");
    await page.waitForFunction(() => {
      const log = document.querySelector("#conversation");
      return log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    });
    await page.press("#message", "Escape");
    await idle(page);
  }));

test("what a model writes stays text", () =>
  inPage({}, async (page) => {
    await page.evaluate(() => {
      agent.streamFunction = () => {
        const message = {
          role: "assistant",
          content: [
            {
              type: "text",
              text: "<img src=x onerror=alert(1)> **bold** `<b>`\n\n```html\n<script>alert(2)</script>\n```\n1. one\n2. two",
            },
          ],
          api: "scripted",
          provider: "scripted",
          model: "script",
          stopReason: "stop",
          timestamp: Date.now(),
          usage: {
            input: 0,
            output: 0,
            cacheRead: 0,
            cacheWrite: 0,
            totalTokens: 0,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
          },
        };
        return {
          async *[Symbol.asyncIterator]() {
            yield { type: "done", reason: "stop", message };
          },
          result: async () => message,
        };
      };
    });
    await converse(page, "<i>hello</i>");
    assert.deepEqual(await said(page).then(([[, user]]) => user), "<i>hello</i>");
    assert.equal(await page.locator(".message img, .message script, .message i, .prose b").count(), 0);
    assert.equal(await page.locator(".prose pre code").textContent(), "<script>alert(2)</script>\n");
    assert.deepEqual(await texts(page, ".prose ol li"), ["one", "two"]);
    assert.deepEqual(await texts(page, ".prose p code"), ["<b>"]);
  }));
