// The agent loop against recorded scenarios, in Node: our own ones, and the recordings of the API we stand in for.
import { join } from "node:path";
import { play } from "../../tests/scenarios/play.mjs";
import { countsOf, Report, root, run } from "../common.mjs";
import { deviationFiles, ownScenarios, recordings, versions } from "../conformance.mjs";

const report = new Report();
const steersman = await import(join(root, "npm/dist/index.js"));
for (const scenario of ownScenarios()) {
  await report.attempt(`own scenario ${scenario.id}`, () => play(steersman, scenario));
}

if (recordings()) {
  for (const { version, entry } of versions) {
    const module = ["--module", join(root, "npm/dist", `${entry}.js`), "--check", "--expect", version];
    const lists = deviationFiles().flatMap((file) => ["--deviations", file]);
    const { code, out } = await run(process.execPath, [
      join(recordings(), "record.mjs"),
      ...module,
      ...lists,
    ]);
    const counts = countsOf(out);
    console.log(`--- ${version}\n${out.trim()}`);
    if (counts) report.add(counts.passed, counts.failed);
    report.check(code === 0 || counts?.failed > 0, `recordings of ${version}`, `exit ${code}`);
  }
} else console.log("no recordings here: own scenarios only");
report.finish();
