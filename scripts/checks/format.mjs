// Formatting and the few lint rules that keep the TypeScript honest. `npm run format` repairs what it can.
import { bin, Report } from "../common.mjs";

const report = new Report();
await report.command("cargo fmt", "cargo", ["fmt", "--all", "--check"]);
await report.command("biome", bin("biome"), ["check", "--error-on-warnings", "--max-diagnostics=50", "."]);
report.finish();
