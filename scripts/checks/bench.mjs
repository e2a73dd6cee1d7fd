// The benchmarks work: adapters deliver what the provider sends, also as they are profiled, and long sessions are read.
// Counts only, no times, no packages of others.
import { join } from "node:path";
import { countsOf, Report, root, run } from "../common.mjs";

const report = new Report();
for (const [bench, ...options] of [["browser"], ["browser", "--profile", "--peers=ours"], ["sessions"]]) {
  const script = join(root, "benches", bench, "run.mjs");
  const { code, out } = await run(process.execPath, [script, "--smoke", ...options]);
  const { passed, failed } = countsOf(out) ?? { passed: 0, failed: 0 };
  report.add(passed, failed);
  if (code !== 0) {
    console.log(out.trim());
    if (failed === 0) report.check(false, `the benchmark ${bench}`);
  }
}
report.finish();
