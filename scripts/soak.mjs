// The long checks: `npm run soak [-- native schedules programs memory stores fuzz sessions pi-sessions]`. Takes hours on a
// small machine.
//   native     1,000,000 random schedules on the Rust shell
//   schedules     20,000 on the TypeScript shell
//   programs   10,000 random programs beside pi-agent-core
//   memory     1,000 agents and 12,000 turns in Chromium
//   stores     Chromium killed 50 times while it stores
//   fuzz       20,000 seeds of the hostile fuzz in Node
//   sessions   2,000 sessions that anything may happen to
//   pi-sessions  sessions to pi's own SessionManager and back (installs it, and the Node it needs)
// STEERSMAN_FROM=n plays other schedules than the first.
import { join } from "node:path";
import { build } from "./build.mjs";
import { root, run, since, targetDir } from "./common.mjs";
import { buildNeeds, ensure } from "./setup.mjs";

/** Most seconds of one part. */
const LONGEST = 24 * 3600;
const from = process.env.STEERSMAN_FROM ?? "0";
const check = (name, ...args) => [process.execPath, [join(root, "scripts/checks", `${name}.mjs`), ...args]];

const parts = {
  native: {
    // Optimised, with all checks of a debug build, and beside the output of the usual one.
    command: [
      "cargo",
      ["test", "--target-dir", join(targetDir, "soak"), "--test", "properties", "--", "--nocapture"],
    ],
    env: {
      STEERSMAN_SCHEDULES: "1000000",
      STEERSMAN_FROM: from,
      CARGO_PROFILE_DEV_OPT_LEVEL: "2",
      CARGO_PROFILE_TEST_OPT_LEVEL: "2",
    },
  },
  schedules: { command: check("properties", "--schedules", "20000", "--from", from), package: true },
  programs: { command: check("pi-programs", "--programs", "10000", "--from", from), package: true },
  memory: { command: check("memory", "--full"), package: true },
  stores: { command: check("stores", "killed", "--kills", "50"), package: true },
  fuzz: { command: check("hostile-node", "--seeds", "20000"), package: true },
  sessions: {
    command: [process.execPath, [join(root, "tests/soak/sessions.mjs")]],
    package: true,
    env: { STEERSMAN_FROM: from },
  },
  "pi-sessions": {
    command: [process.execPath, [join(root, "tests/soak/pi-sessions/run.mjs")]],
    package: true,
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
const chosen = Object.entries(parts).filter(([name]) => wanted.length === 0 || wanted.includes(name));

const needs = ["node", "rust", "linker", "npm", "chromium", ...buildNeeds];
const unmet = await ensure([...new Set(needs)]);
if (unmet.length > 0) {
  console.error(`missing: ${unmet.join(", ")}`);
  process.exit(1);
}
if (chosen.some(([, part]) => part.package)) await build();

let failed = 0;
for (const [name, { command, env }] of chosen) {
  const start = performance.now();
  console.log(`--- ${name}`);
  const { code } = await run(...command, { env, show: true, seconds: LONGEST });
  if (code !== 0) failed++;
  console.log(`${name}: ${code === 0 ? "passed" : `FAILED (exit ${code})`}, ${since(start)}`);
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
