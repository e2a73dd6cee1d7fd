// The same scenarios in a Chromium page whose policy forbids eval, inline scripts and every request.
import { join } from "node:path";
import { launch, open, serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";
import {
  deviations,
  figures,
  jitters,
  jsonFiles,
  ownScenarios,
  recordings,
  versions,
} from "../conformance.mjs";

const report = new Report();
const browser = await launch();

/** A page that imports one entry of the package and offers `playOwn` and, with recordings, `playRecorded`. */
async function pageFor(entry) {
  const lines = [
    `import * as steersman from "/dist/${entry}.js";`,
    `import { play } from "/tests/play.mjs";`,
    "globalThis.playOwn = (scenario) => play(steersman, scenario);",
  ];
  if (recordings()) {
    lines.push(
      `import { compare, runScenario } from "/recordings/runner.mjs";`,
      "let unhandled = null;",
      "addEventListener('unhandledrejection', (event) => { event.preventDefault(); unhandled?.(event.reason); });",
      "const onUnhandled = (sink) => { unhandled = sink; };",
      "globalThis.playRecorded = async (scenario, expected, options) =>",
      "  compare(scenario, expected, await runScenario(steersman, scenario, { ...options, onUnhandled }));",
    );
  }
  const html = '<!doctype html><title>scenarios</title><script type="module" src="/page.js"></script>';
  const server = await serve(
    {
      "/": { type: ".html", body: html },
      "/page.js": { type: ".js", body: lines.join("\n") },
      "/dist/": join(root, "npm/dist"),
      "/tests/": join(root, "tests/scenarios"),
      ...(recordings() ? { "/recordings/": recordings() } : {}),
    },
    { "content-security-policy": strictCsp },
  );
  const opened = await open(browser, server.url);
  await opened.page.waitForFunction(() => globalThis.playOwn, undefined, { timeout: 30_000 });
  return { ...opened, close: () => opened.close().then(server.close) };
}

const scenarios = recordings() ? jsonFiles(join(recordings(), "scenarios")) : [];

/** The recordings of one version in one page, with one timing. */
async function playAll(page, version, jitter) {
  const mayDiffer = deviations(version);
  const expected = new Map(
    jsonFiles(join(recordings(), "expected", version)).map((recorded) => [recorded.id, recorded]),
  );
  // The suite's own command waits longer for silence when it shakes the timing.
  const options = { systemRole: version !== "0.85.1", ...(jitter === undefined ? {} : { jitter, quiet: 8 }) };
  const counts = { jitter, passed: 0, failed: 0, deviations: 0 };
  for (const scenario of scenarios.filter(({ versions: only }) => !only || only.includes(version))) {
    const differences = await page
      .evaluate(
        ([s, e, o]) => globalThis.playRecorded(s, e, o),
        [scenario, expected.get(scenario.id), options],
      )
      .catch((error) => [{ lane: "runner", index: 0, expected: "a trace", actual: String(error) }]);
    if (differences.length > 0 && mayDiffer.has(scenario.id)) {
      counts.deviations++;
      continue;
    }
    const lines = differences.map(
      ({ lane, index, expected: e, actual }) => `${lane}[${index}]\n  expected ${e}\n  actual   ${actual}`,
    );
    const name = `${version} ${scenario.id}${jitter === undefined ? "" : `, jitter ${jitter}`}`;
    const ok = report.check(differences.length === 0, name, lines.join("\n").slice(0, 2000));
    counts[ok ? "passed" : "failed"]++;
  }
  return counts;
}

/** One entry in a page of its own: with own scenarios, with recordings as they are, or with one shaken timing. */
async function inPage({ version, entry }, action) {
  const { page, problems, close } = await pageFor(entry);
  const result = await action(page, version);
  const name = `${entry}: no policy violation, no uncaught error`;
  report.check(problems.length === 0, name, problems.join("\n"));
  await close();
  return result;
}

async function playOwn(page) {
  for (const scenario of ownScenarios()) {
    await report.attempt(`own scenario ${scenario.id}`, () =>
      page.evaluate((s) => globalThis.playOwn(s), scenario),
    );
  }
}

try {
  await inPage(versions[0], playOwn);
  if (recordings()) {
    // Pages side by side: nearly all of the time is waiting for macrotasks.
    for (const version of versions) {
      const passes = [undefined, ...jitters].map((jitter) =>
        inPage(version, (page, name) => playAll(page, name, jitter)),
      );
      console.log(figures(version.version, await Promise.all(passes)));
    }
  } else console.log("no recordings here: own scenarios only");
} finally {
  await browser.close();
}
report.finish();
