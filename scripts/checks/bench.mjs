// The benchmarks work: adapters deliver what the provider sends, also as they are profiled, and long sessions are read.
// Counts only, no times, no packages of others.
import { join } from "node:path";
import { Report, root, run } from "../common.mjs";

const report = new Report();
for (const [bench, ...options] of [["browser"], ["browser", "--profile", "--peers=ours"], ["sessions"]]) {
  const command = [join(root, "benches", bench, "run.mjs"), "--smoke", ...options];
  report.addRun(`the benchmark ${[bench, ...options].join(" ")}`, await run(process.execPath, command));
}
report.finish();
