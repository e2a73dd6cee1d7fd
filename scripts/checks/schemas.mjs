// Tools with schemas of the real libraries: Zod, Valibot, ArkType, TypeBox (tests/schemas).
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Report, root, walk } from "../common.mjs";
import { compileWith } from "../compile-with.mjs";
import { nodeTests } from "../node-tests.mjs";
import { fetchPackages } from "../packages.mjs";

const modules = await fetchPackages("schemas");
const report = new Report();
const { code, out } = await compileWith("schemas", "types", [join(root, "tests/schemas/types.ts")]);
report.check(code === 0, "types of arguments follow from the schemas", out);

// Bundled, because the libraries lie elsewhere. Inside of the repository, so that `steersman` is found.
const work = join(root, "target/schemas");
rmSync(work, { recursive: true, force: true });
await build({
  entryPoints: walk(join(root, "tests/schemas"), (file) => file.endsWith(".test.mjs")),
  outdir: work,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  nodePaths: [modules],
  external: ["steersman", "steersman/*"],
});
await nodeTests(work, { report });
