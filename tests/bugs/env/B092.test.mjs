// B092: one session in two tabs; both ran the agent, and the last to save dropped the turn of the other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWith } from "./browser.mjs";
import { sessionPage } from "./session-page.mjs";

test("B092 of two tabs on one session one answers, the other is refused and follows", async () => {
  const first = await pageWith(sessionPage);
  try {
    const { page: a, problems, url } = first;
    const b = await a.context().newPage();
    b.on("pageerror", (error) => problems.push(String(error)));
    await b.goto(url);
    for (const page of [a, b]) await page.waitForFunction(() => globalThis.session);
    const roles = [await a.evaluate(() => session.role), await b.evaluate(() => session.role)];
    assert.deepEqual(roles.toSorted(), ["mirror", "writer"]);
    const prompt = (text) =>
      session.agent.prompt(text).then(
        () => "answered",
        (error) => error.code,
      );
    const outcomes = await Promise.all([a.evaluate(prompt, "a"), b.evaluate(prompt, "b")]);
    assert.deepEqual(outcomes.toSorted(), ["answered", "busy"]);
    const asked = [await a.evaluate(() => asked.length), await b.evaluate(() => asked.length)];
    assert.deepEqual(asked.toSorted(), [0, 1], "concurrent requests");
    const follower = outcomes[0] === "busy" ? a : b;
    await follower.waitForFunction(() => texts().length === 2);
    assert.deepEqual(await follower.evaluate(() => texts()), [follower === a ? "b" : "a", "answer"]);
    // The follower goes on, and nothing of the other is lost.
    await follower.evaluate(() => session.takeOver());
    assert.equal(await follower.evaluate(prompt, "c"), "answered");
    const stored = await follower.evaluate(() => storedTexts());
    assert.deepEqual(stored.slice(1), ["answer", "c", "answer"]);
    assert.deepEqual(problems, []);
  } finally {
    await first.close();
  }
});
