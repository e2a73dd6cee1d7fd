// The benchmarks work: adapters deliver what the provider sends, long sessions are read. Counts only, no times, no packages
// of others.
import { join } from "node:path";
import { root, run } from "../common.mjs";

for (const bench of ["browser", "sessions"]) {
  const { code, out } = await run(process.execPath, [join(root, "benches", bench, "run.mjs"), "--smoke"]);
  console.log(out.trim());
  process.exitCode ||= code;
}
