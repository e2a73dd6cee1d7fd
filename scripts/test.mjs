// Runs the checks: `npm test` all of them, `npm test -- STAGE ...` some (a stage or the beginning of its name),
// `--verbose` shows the output of passed stages too, `--list` names the stages.
// Sets up and builds what the stages need (`build` asks for that alone), prints seconds per stage, ends with
// `N passed, N failed`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { countsOf, root, run, sharedDir, since } from "./common.mjs";
import { buildNeeds, ensure } from "./setup.mjs";

const rust = ["rust", "linker", "components", "target"];

/** Cheap checks first. `package`: looks at what is built in npm/. `seconds`: a stage that takes longer has failed. */
const stages = [
  { name: "format", needs: ["rust", "components", "npm"], seconds: 120, what: "cargo fmt, biome" },
  {
    name: "clippy",
    needs: rust,
    seconds: 900,
    what: "clippy and rustdoc, every set of features, native and wasm",
  },
  { name: "native", needs: rust, seconds: 1200, what: "cargo test of the workspace, examples" },
  { name: "types", needs: ["npm"], package: true, seconds: 300, what: "tsc --strict on every tsconfig.json" },
  {
    name: "architecture",
    needs: ["rust", "npm"],
    package: true,
    seconds: 120,
    what: "who may know whom, no eval, wasm features",
  },
  { name: "size", needs: ["npm"], package: true, seconds: 120, what: "size of the default entry, gated" },
  { name: "shell", needs: ["npm"], package: true, seconds: 300, what: "the TypeScript shell in Node" },
  {
    name: "pi",
    needs: ["npm", "pi"],
    package: true,
    seconds: 300,
    what: "exports, types and README code of pi-agent-core",
  },
  {
    name: "pi-programs",
    needs: ["npm", "pi"],
    package: true,
    seconds: 300,
    what: "random programs, with pi-agent-core and with this package",
  },
  {
    name: "schemas",
    needs: ["npm", "schemas"],
    package: true,
    seconds: 300,
    what: "schemas of Zod, Valibot, ArkType and TypeBox",
  },
  {
    name: "docs",
    needs: ["npm"],
    package: true,
    seconds: 300,
    what: "code in README and docs, compiled or run",
  },
  {
    name: "hostile-node",
    needs: ["npm"],
    package: true,
    seconds: 600,
    what: "re-entrancy, strange values, crashes, in Node",
  },
  {
    name: "hostile-chromium",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 600,
    what: "the same in a page",
  },
  {
    name: "properties",
    needs: ["npm"],
    package: true,
    seconds: 600,
    what: "random schedules on the TypeScript shell",
  },
  {
    name: "bugs",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 600,
    what: "public bug reports as cases",
  },
  {
    name: "memory",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 300,
    what: "what dropped agents leave behind",
  },
  {
    name: "conformance-node",
    needs: ["npm"],
    package: true,
    seconds: 600,
    what: "recorded scenarios in Node",
  },
  {
    name: "conformance-chromium",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 600,
    what: "the same in a page with a strict CSP",
  },
  {
    name: "wire",
    needs: ["npm"],
    package: true,
    seconds: 900,
    what: "provider streams, requests and faults",
  },
  {
    name: "wire-chromium",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 300,
    what: "the same over a network that fails, in a page with a strict CSP",
  },
  {
    name: "servers",
    needs: ["npm"],
    package: true,
    seconds: 300,
    what: "whole runs against servers made by others",
  },
  {
    name: "handoff",
    needs: ["npm"],
    package: true,
    seconds: 120,
    what: "one conversation through every pair of providers",
  },
  {
    name: "session",
    needs: ["npm"],
    package: true,
    seconds: 300,
    what: "sessions, stores and compaction; the recorded cases",
  },
  {
    name: "stores",
    needs: ["npm", "chromium", "firefox", "webkit"],
    package: true,
    seconds: 900,
    what: "IndexedDB, OPFS and a server in Chromium, Firefox and WebKit, in several tabs, and killed",
  },
  {
    name: "export",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 300,
    what: "sessions as pages, in Chromium, and without secrets",
  },
  {
    name: "wasm",
    needs: [...rust, "wasm-bindgen", "wasm-pack", "chromium", "chromedriver"],
    seconds: 900,
    what: "wasm-pack test in headless Chromium",
  },
  {
    name: "package",
    needs: ["npm", "chromium", "compiler"],
    package: true,
    seconds: 600,
    what: "the packed tarball in Node, a page and bundlers",
  },
  {
    name: "bench",
    needs: ["npm", "chromium"],
    package: true,
    seconds: 300,
    what: "the benchmark runs, and every delta arrives",
  },
  {
    name: "e2e",
    needs: ["npm", "chromium", "model"],
    package: true,
    seconds: 1500,
    what: "the demo page in Chromium",
  },
];

const scriptOf = (stage) => {
  const own = join(root, "scripts/checks", `${stage.name}.mjs`);
  return existsSync(own) ? own : join(root, "scripts", `${stage.name}.mjs`);
};

/** Lines of every run that are no stages; asked for by name they are all that runs. */
const first = [
  { name: "set-up", what: "installs what the chosen stages need" },
  { name: "build", what: "the package in npm/, for the stages that look at it" },
];

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith("--"));
const options = ["--list", "--verbose"];
const named = (name) => wanted.some((word) => name === word || name.startsWith(`${word}-`));
const chosen = stages.filter(({ name }) => wanted.length === 0 || named(name));
const known = [...first, ...stages].map(({ name }) => name);
const unknown = args.filter((arg) =>
  arg.startsWith("--")
    ? !options.includes(arg)
    : !known.some((name) => name === arg || name.startsWith(`${arg}-`)),
);
if (args.includes("--list") || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no such stage or option: ${unknown.join(", ")}`);
  for (const { name, what } of [...first, ...stages]) console.log(`${name.padEnd(22)}${what}`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

const start = performance.now();
const table = [];
/** Adds a line of the final table; `blocked` says why a stage could not run. */
function done(name, begin, passed, failed, blocked = "") {
  const seconds = (performance.now() - begin) / 1000;
  table.push({ name, seconds, passed, failed });
  const counts = `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ""}`;
  console.log(`${name.padEnd(22)}${`${seconds.toFixed(1)} s`.padStart(9)}   ${blocked || counts}`);
}

const needsBuild = wanted.includes("build") || chosen.some((stage) => stage.package);
const setUp = performance.now();
const unmet = await ensure([
  ...new Set(["node", ...(needsBuild ? buildNeeds : []), ...chosen.flatMap(({ needs }) => needs)]),
]);
done("set-up", setUp, unmet.length === 0 ? 1 : 0, unmet.length);

let buildError;
if (needsBuild) {
  const begin = performance.now();
  try {
    if (unmet.some((need) => buildNeeds.includes(need)))
      throw new Error("the set-up could not install what the build needs");
    await build();
  } catch (error) {
    buildError = error;
    console.log(error.message);
  }
  done("build", begin, buildError ? 0 : 1, buildError ? 1 : 0);
}

// The checks read these; set once, so that a single check started by hand and one started here see the same.
const shared = sharedDir();
const env = shared ? { STEERSMAN_SHARED: shared } : {};
if (!shared) console.log("no ../shared here: only the project's own fixtures are played");

for (const stage of chosen) {
  const begin = performance.now();
  const missing = stage.needs.filter((need) => unmet.includes(need));
  if (missing.length > 0 || (stage.package && buildError)) {
    const reason = missing.length > 0 ? `missing: ${missing.join(", ")}` : "the build failed";
    done(stage.name, begin, 0, 1, `FAILED, could not run: ${reason}`);
    continue;
  }
  const { code, out } = await run(process.execPath, [scriptOf(stage)], { env, seconds: stage.seconds });
  const counts = countsOf(out) ?? { passed: 0, failed: 0 };
  // A stage that dies without counting, or counts nothing, has failed.
  const failed = code !== 0 && counts.failed === 0 ? 1 : counts.failed;
  const empty = code === 0 && counts.passed === 0;
  if (failed > 0 || empty || args.includes("--verbose")) console.log(`--- ${stage.name}\n${out.trim()}\n---`);
  done(stage.name, begin, counts.passed, empty ? 1 : failed);
  // What a stage wants to be read also when all is well.
  for (const [, figure] of out.matchAll(/^(?:ℹ )?figures: (.*)$/gm)) console.log(`  ${figure}`);
}

const passed = table.reduce((sum, row) => sum + row.passed, 0);
const failed = table.reduce((sum, row) => sum + row.failed, 0);
console.log(`\n${"stage".padEnd(22)}${"seconds".padStart(9)}${"passed".padStart(9)}${"failed".padStart(9)}`);
for (const row of table) {
  const cells = [row.seconds.toFixed(1), row.passed, row.failed].map((cell) => String(cell).padStart(9));
  console.log(row.name.padEnd(22) + cells.join(""));
}
console.log(`total: ${since(start)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
