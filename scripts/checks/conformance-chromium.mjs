// The same scenarios in a Chromium page whose policy forbids eval, inline scripts and every request.
import { join } from "node:path";
import { launch, open, serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";
import { deviations, jsonFiles, ownScenarios, recordings, versions } from "../conformance.mjs";

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
      "globalThis.playRecorded = async (scenario, expected, systemRole) => compare(scenario, expected,",
      "  await runScenario(steersman, scenario, { systemRole, onUnhandled: (sink) => { unhandled = sink; } }));",
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

try {
  for (const { version, entry } of versions) {
    const { page, problems, close } = await pageFor(entry);
    for (const scenario of version === "1.6.0" ? ownScenarios() : []) {
      await report.attempt(`own scenario ${scenario.id}`, () =>
        page.evaluate((s) => globalThis.playOwn(s), scenario),
      );
    }
    const mayDiffer = recordings() ? deviations(version) : undefined;
    const scenarios = recordings() ? jsonFiles(join(recordings(), "scenarios")) : [];
    const expected = new Map(
      recordings() ? jsonFiles(join(recordings(), "expected", version)).map((item) => [item.id, item]) : [],
    );
    let deviating = 0;
    for (const scenario of scenarios.filter(({ versions: only }) => !only || only.includes(version))) {
      const task = [scenario, expected.get(scenario.id), version !== "0.85.1"];
      const differences = await page
        .evaluate(([s, e, systemRole]) => globalThis.playRecorded(s, e, systemRole), task)
        .catch((error) => [{ lane: "runner", index: 0, expected: "a trace", actual: String(error) }]);
      if (differences.length > 0 && mayDiffer.has(scenario.id)) deviating++;
      else {
        const lines = differences.map(
          ({ lane, index, expected: e, actual }) =>
            `${lane}[${index}]\n  expected ${e}\n  actual   ${actual}`,
        );
        report.check(differences.length === 0, `${version} ${scenario.id}`, lines.join("\n").slice(0, 2000));
      }
    }
    if (deviating > 0) console.log(`${version}: ${deviating} deviations, as listed`);
    report.check(
      problems.length === 0,
      `${entry}: no policy violation, no uncaught error`,
      problems.join("\n"),
    );
    await close();
  }
} finally {
  await browser.close();
}
if (!recordings()) console.log("no recordings here: own scenarios only");
report.finish();
