// Long sessions in Chromium: opening, reading in slices, appending. `npm run bench -- --sessions` builds the package first.
//   --reps 5     repetitions of each figure, each in a fresh page
//   --smoke      short sessions once: does everything work? No times
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { launch, mainThreadMs } from "../browser/chromium.mjs";
import { startServer } from "../browser/provider.mjs";
import { Report, root, targetDir } from "../../scripts/common.mjs";

const { values: options } = parseArgs({
  options: {
    reps: { type: "string", default: "5" },
    smoke: { type: "boolean", default: false },
    sessions: { type: "boolean", default: false },
  },
});
const questions = ["buildSessionContext", "contextSize", "getBranch", "getTree"];
const out = join(targetDir, "bench/sessions");
await build({
  entryPoints: [join(root, "benches/sessions/page.mjs")],
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  minify: true,
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" },
  external: ["node:*"],
});
const server = await startServer([out, join(root, "benches/sessions")]);
const browser = await launch();
try {
  if (options.smoke) await smoke();
  else await measure(Number(options.reps));
} finally {
  await browser.close();
  await server.close();
}

/** One figure in a fresh page: milliseconds, those that the main thread worked (`cpu`), and what the page tells. */
async function once(context, name, ...args) {
  const page = await context.newPage();
  try {
    await page.goto(`${server.url}/page.html`);
    await page.waitForFunction(() => globalThis.bench);
    await page.evaluate(() => globalThis.bench.ready);
    await page.evaluate(([name, args]) => globalThis.bench.prepare(name, ...args), [name, args]);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await mainThreadMs(cdp);
    const result = await page.evaluate(() => globalThis.bench.run());
    return { ...result, cpu: (await mainThreadMs(cdp)) - before };
  } finally {
    await page.close();
  }
}

async function smoke() {
  const report = new Report();
  const context = await browser.newContext();
  for (const [name, ...args] of [
    ...[["openEntries"], ["openText"], ["importBlock"], ["append"]],
    ...questions.map((question) => ["ask", question]),
  ])
    await report.attempt(`sessions ${name} ${args}`, () => once(context, name, 500, ...args));
  await report.attempt("sessions openStored", async () => {
    const { id } = await once(context, "store", 1500);
    await once(context, "openStored", 1500, id);
    await once(context, "lookAtAll", 1500, id);
  });
  report.finish();
}

async function measure(reps) {
  console.log(`Chromium ${browser.version()}, ${cpus()[0].model}, ${cpus().length} cores, load ${load()}`);
  const context = await browser.newContext();
  const { id } = await once(context, "store", 10_000);
  const long = await once(context, "store", 10_000, { compactions: false });
  const named = (count) => count.toLocaleString("en");
  const measured = [
    ["open 10,000 stored entries, compacted, to an agent with messages, ms", "openStored", 10_000, id],
    ["open 10,000 stored entries, never compacted, ms", "openStored", 10_000, long.id],
    ["getEntries() of 10,000 stored entries, the first time, ms", "lookAtAll", 10_000, id],
    ["open 10,000 entries at hand, to the first context, ms", "openEntries", 10_000],
    ["open a file of 10,000 entries, to the first context, ms", "openText", 10_000],
    ["read a file of 100,000 entries in slices, ms", "importBlock", 100_000],
    ...[1000, 10_000, 100_000].map((count) => [
      `one append to ${named(count)} entries, \u00b5s`,
      "append",
      count,
    ]),
    ...questions.map((question) => [`${question}() of 100,000 entries, ms`, "ask", 100_000, question]),
  ];
  const rows = [["", "cpu", "wall", "least wall"]];
  const least = (values) => Math.min(...values);
  for (const [what, name, ...args] of measured) {
    const results = [];
    for (let rep = 0; rep < reps; rep++) results.push(await once(context, name, ...args));
    // Milliseconds of 2,000 appends are half of the microseconds of one.
    const scale = name === "append" ? 0.5 : 1;
    const all = (member) => results.map((result) => result[member] * scale).sort((a, b) => a - b);
    const [cpu, wall] = [all("cpu"), all("wall")];
    rows.push([what, cpu[reps >> 1], wall[reps >> 1], least(wall)]);
    if (name !== "importBlock") continue;
    const longest = all("longest");
    rows.push(["  its longest block, ms", Number.NaN, longest[reps >> 1], least(longest)]);
  }
  const width = Math.max(...rows.map(([name]) => name.length));
  console.log(`medians of ${reps}; load ${load()}\n`);
  for (const [place, [name, ...values]] of rows.entries()) {
    const cells = values.map((value) => (place > 0 ? shown(value) : value).padStart(10));
    console.log(`| ${name.padEnd(width)} | ${cells.join(" | ")} |`);
    if (place === 0) console.log(`|${"-".repeat(width + 2)}|${"-----------:|".repeat(3)}`);
  }
}

function shown(value) {
  return Number.isNaN(value) ? "" : value.toFixed(1);
}

function load() {
  return loadavg()[0].toFixed(1);
}
