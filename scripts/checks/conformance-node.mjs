// The agent loop against recorded scenarios, in Node: our own ones, and the recordings of the API we stand in for, as
// they are and with shaken timing (`--jitter`).
import { join } from "node:path";
import { play } from "../../tests/scenarios/play.mjs";
import { Report, root, run } from "../common.mjs";
import { deviationFiles, figures, jitters, ownScenarios, recordings, versions } from "../conformance.mjs";

const report = new Report();
const steersman = await import(join(root, "npm/dist/index.js"));
const own = ownScenarios();
for (const scenario of own)
  await report.attempt(`own scenario ${scenario.id}`, () => play(steersman, scenario));
console.log(`figures: own scenarios: ${report.passed} of ${own.length}`);

/** One process of the suite's own command per timing, so that nothing of one reaches the other. */
async function check(version, entry, jitter) {
  const module = ["--module", join(root, "npm/dist", `${entry}.js`), "--check", "--expect", version];
  const lists = deviationFiles().flatMap((file) => ["--deviations", file]);
  const shaken = jitter === undefined ? [] : ["--jitter", String(jitter)];
  const command = [join(recordings(), "record.mjs"), ...module, ...lists, ...shaken];
  const { code, out } = await run(process.execPath, command);
  const what = `recordings of ${version}${jitter === undefined ? "" : `, jitter ${jitter}`}`;
  const { passed, failed } = report.addRun(what, { code, out });
  const needless = out.match(/strike out\): (.*)$/m)?.[1];
  report.check(needless === undefined, `${what}: listed deviations deviate`, needless);
  return { jitter, passed, failed, deviations: Number(out.match(/^(\d+) deviations/m)?.[1] ?? 0) };
}

if (recordings()) {
  // Side by side by version: most of the time of a shaken run is waiting.
  const lines = versions.map(async ({ version, entry }) => {
    const results = [];
    for (const jitter of [undefined, ...jitters]) results.push(await check(version, entry, jitter));
    return figures(version, results);
  });
  for (const line of await Promise.all(lines)) console.log(line);
} else console.log("no recordings here: own scenarios only");
report.finish();
