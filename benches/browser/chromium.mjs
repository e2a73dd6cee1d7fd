// One repetition in Chromium: a fresh page, one prompt, and what it cost.
import { chromium } from "playwright-core";
import { chromiumFlags, chromiumPath } from "../../scripts/browser.mjs";

/** A repetition that takes longer has failed. */
const limitMs = 120_000;

export const launch = () =>
  chromium.launch({
    executablePath: chromiumPath(),
    headless: true,
    args: [...chromiumFlags, "--js-flags=--expose-gc", "--enable-precise-memory-info"],
  });

/** CPU milliseconds that the page's main thread has spent in tasks. Other load on the machine does not count. */
export async function mainThreadMs(cdp) {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
}

const within = (promise, ms) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/**
 * Measures one cell with one peer.
 *
 * @param memory sample memory as well; then the times do not count
 * @param profile record a CPU profile; then the times do not count either
 * @returns `mainMs` of the prompt, `loadMs` (same clock) of importing, loading and preparing, and what the page gives
 * @throws when the run fails or its deltas are not what the provider sent
 */
export async function measure(browser, url, peer, cell, { memory = false, profile = false } = {}) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const problems = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(`${url}/page.html`);
    await page.waitForFunction(() => globalThis.bench);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    const beforeLoad = await mainThreadMs(cdp);
    await within(
      page.evaluate((file) => globalThis.bench.load(file), `/${peer}/${peer}.js`),
      limitMs,
    );
    await page.evaluate((model) => globalThis.bench.prepare(model), cell.model);
    if (profile) {
      await cdp.send("Profiler.enable");
      await cdp.send("Profiler.setSamplingInterval", { interval: 100 });
      await cdp.send("Profiler.start");
    }
    const before = await mainThreadMs(cdp);
    const result = await within(
      page.evaluate((sample) => globalThis.bench.run(sample), memory),
      limitMs,
    );
    const after = await mainThreadMs(cdp);
    const profiled = profile ? (await cdp.send("Profiler.stop")).profile : undefined;
    const { seen, ...costs } = result;
    if (JSON.stringify(seen) !== JSON.stringify(cell.expect)) {
      throw new Error(`delivered ${JSON.stringify(seen)} in place of ${JSON.stringify(cell.expect)}`);
    }
    if (problems.length > 0) throw new Error(problems.join("; "));
    return { mainMs: after - before, loadMs: before - beforeLoad, ...costs, profile: profiled };
  } finally {
    await context.close();
  }
}
