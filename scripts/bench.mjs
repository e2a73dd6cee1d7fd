// `npm run bench [-- OPTIONS]`: sets up and builds, then measures in Chromium; see benches/README.md. `--sessions`: long
// sessions in place of answers.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./common.mjs";
import { buildNeeds, ensure } from "./setup.mjs";

if ((await ensure([...buildNeeds, "chromium"])).length > 0) process.exit(1);
await build();
const folder = process.argv.includes("--sessions") ? "sessions" : "browser";
const bench = spawn(process.execPath, [join(root, "benches", folder, "run.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
bench.on("exit", (code) => process.exit(code ?? 1));
