// Sessions through the built package: our own tests (tests/session), and the recorded cases of pi's sessions and
// compaction where they are laid out, through pkg-tests/adapters/session-check.mjs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodeTests } from "../node-tests.mjs";
import { countsOf, Report, root, run, sharedDir } from "../common.mjs";

const report = new Report();
const shared = sharedDir();
const player = shared && join(shared, "conformance-session/check.mjs");
if (player && existsSync(player)) {
  const adapter = join(root, "pkg-tests/adapters/session-check.mjs");
  const { code, out } = await run(process.execPath, [player, "--module", adapter]);
  const { passed, failed } = countsOf(out) ?? { passed: 0, failed: 0 };
  report.add(passed, failed);
  if (code !== 0) console.log(out.trim());
  report.check(code === 0 || failed > 0, "recorded sessions", `exit ${code}`);
  console.log(`figures: recorded sessions and compactions: ${passed} of ${passed + failed}`);
} else console.log("no recordings here: own tests only");
await nodeTests(join(root, "tests/session"), { report });
