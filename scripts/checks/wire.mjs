// Provider streams, requests and faults, played by the judges of ../shared/wire against the default entry.
// Without ../shared the own fixtures of the native tests and the shell tests are all there is.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Report, root, run, sharedDir } from "../common.mjs";

/** Families whose wires exist: those with fixtures of our own. */
const families = readdirSync(join(root, "fixtures/wires"));
const judges = [
  { script: "check.mjs", args: [] },
  // The headers of the reference are those of a vendor SDK in Node; ours are what a page may send.
  { script: "check-requests.mjs", args: ["--no-headers"] },
  { script: "check-faults.mjs", args: ["--any-abort-text"] },
];

const report = new Report();
report.check(existsSync(join(root, "npm/dist/index.js")), "the package is built");
const wire = sharedDir() && join(sharedDir(), "wire");
if (wire) {
  for (const family of families) {
    for (const { script, args } of judges) {
      const options = ["--module", join(root, "npm/dist/index.js"), "--only", `${family}/`, ...args];
      console.log(`--- ${script} ${family}`);
      const { code, out } = await run(process.execPath, [join(wire, script), ...options], { show: true });
      // The line of the family: check-faults tries one plain play of every family, whatever it is asked for.
      const counts = out.match(new RegExp(`^${family}: (\\d+) passed, (\\d+) failed`, "m"));
      if (counts) report.add(Number(counts[1]), Number(counts[2]));
      report.check(counts !== null && code !== 2, `${script} ${family}`, `exit ${code}`);
    }
  }
} else console.log("no ../shared here: nothing to play");
report.finish();
