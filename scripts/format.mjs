// Rewrites Rust, TypeScript, JavaScript, JSON and CSS in the project's format.
import { bin, must } from "./common.mjs";
import { ensure } from "./setup.mjs";

if ((await ensure(["rust", "components", "npm"])).length > 0) process.exit(1);
await must("cargo", ["fmt", "--all"]);
console.log((await must(bin("biome"), ["check", "--write", "."])).trim());
