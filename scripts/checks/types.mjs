// `tsc` on every tsconfig.json of the repository; all extend tsconfig.base.json, which is strict.
import { basename, relative } from "node:path";
import { Report, root, tsc, walk } from "../common.mjs";

const report = new Report();
for (const config of walk(root, (file) => basename(file) === "tsconfig.json")) {
  await report.command(`tsc -p ${relative(root, config)}`, tsc, ["-p", config, "--noEmit"]);
}
report.finish();
