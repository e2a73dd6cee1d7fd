// The benchmark's adapters deliver what its provider sends: counts only, no times, no packages of others.
import { join } from "node:path";
import { root, run } from "../common.mjs";

const { code, out } = await run(process.execPath, [join(root, "benches/browser/run.mjs"), "--smoke"]);
console.log(out.trim());
process.exitCode = code;
