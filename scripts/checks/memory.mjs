// What 1,000 agents with 10,000 turns leave behind in a page: nothing (tests/soak). A tenth of it unless `--full`.
// Two windows of the same length after a warm-up are compared, so that no number depends on the machine.
import { join } from "node:path";
import { launch, open, serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";

const full = process.argv.includes("--full");
const agents = full ? 1000 : 100;
/** Bytes that two windows may differ by, for what the browser itself learns meanwhile. A forgotten agent is some 20 kB. */
const NOISE = 96 * 1024;
const CRASHES = 20;

const script = `
// Every instance of the module, for its memory and its table of references to JavaScript values.
const { Instance } = WebAssembly;
const instances = [];
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    instances.push(new WeakRef(this));
  }
};
const steersman = await import("/dist/index.js");
const testing = await import("/dist/testing.js");
const { churn, TURNS } = await import("/tests/soak/churn.mjs");
const { model, scripted } = await import("/tests/shell/scripted.mjs");
const alive = () => instances.map((reference) => reference.deref()).filter(Boolean);
globalThis.TURNS = TURNS;
globalThis.churn = (count) => churn(steersman, count);
globalThis.wasm = () => {
  const exports = Object.values(alive().at(-1).exports);
  const memory = exports.find((value) => value instanceof WebAssembly.Memory);
  const references = exports.find((value) => value instanceof WebAssembly.Table);
  return { bytes: memory.buffer.byteLength, references: references.length };
};
globalThis.instances = () => alive().length;
globalThis.crash = async () => {
  const agent = new steersman.Agent({ initialState: { model }, streamFn: scripted([]) });
  agent.subscribe(({ type }) => void (type === "message_update" && testing.crashEngine("panic")));
  await agent.prompt("a");
  return agent.state.messages.at(-1).diagnostics?.[0].code;
};
`;

const report = new Report();
const html = '<!doctype html><title>memory</title><script type="module" src="/page.js"></script>';
const server = await serve(
  {
    "/": { type: ".html", body: html },
    "/page.js": { type: ".js", body: script },
    "/dist/": join(root, "npm/dist"),
    "/tests/": join(root, "tests"),
  },
  { "content-security-policy": strictCsp },
);
const browser = await launch();
try {
  const { page, problems } = await open(browser, server.url);
  await page.waitForFunction(() => globalThis.crash, undefined, { timeout: 30_000 });
  const cdp = await page.context().newCDPSession(page);
  const collect = async () => {
    // Callbacks of what was collected come in a task of their own, and free more.
    for (let i = 0; i < 4; i++) {
      await cdp.send("HeapProfiler.collectGarbage");
      await page.evaluate(() => new Promise((done) => setTimeout(done)));
    }
  };
  const measure = async () => {
    await collect();
    const { usedSize } = await cdp.send("Runtime.getHeapUsage");
    return { heap: usedSize, ...(await page.evaluate(() => globalThis.wasm())) };
  };
  const turns = await page.evaluate(() => globalThis.TURNS);
  const window = Math.round(agents * 0.3);
  const marks = [];
  for (const count of [agents - 2 * window, window, window]) {
    const messages = await page.evaluate((n) => globalThis.churn(n), count);
    report.check(messages > count * turns, "the agents work", `${messages} messages of ${count} agents`);
    marks.push(await measure());
  }
  const [, before, after] = marks;
  const growth = after.heap - before.heap;
  console.log(
    `figures: ${agents} agents, ${agents * turns} turns; the last ${window} agents left ${growth} bytes in the heap, ` +
      `${after.bytes - before.bytes} in wasm, ${after.references - before.references} references`,
  );
  report.check(growth < NOISE, "the heap is flat", JSON.stringify(marks, undefined, 1));
  report.check(after.bytes === before.bytes, "the module's memory is flat", JSON.stringify(marks));
  report.check(after.references === before.references, "the module keeps no values", JSON.stringify(marks));

  for (let i = 0; i < CRASHES; i++) {
    const code = await page.evaluate(() => globalThis.crash());
    report.check(code === "engine_crash", `crash ${i + 1} ends the run`, String(code));
  }
  await collect();
  const left = await page.evaluate(() => globalThis.instances());
  report.check(left === 1, "crashed instances are collected", `${left} instances after ${CRASHES} crashes`);
  report.check(problems.length === 0, "no policy violation, no uncaught error", problems.join("\n"));
} finally {
  await browser.close();
  await server.close();
}
report.finish();
