// Clippy without a warning for no feature, each feature and all together, natively; for wasm what the npm
// package is built from. Then rustdoc: a link that leads nowhere is an error.
import { must, Report } from "../common.mjs";

const deny = ["--", "-D", "warnings"];
const report = new Report();
const metadata = JSON.parse(await must("cargo", ["metadata", "-q", "--no-deps", "--format-version", "1"]));
const { features, targets } = metadata.packages.find(({ name }) => name === "steersman");
const names = Object.keys(features).filter((name) => name !== "default");

const native = ["clippy", "-q", "--workspace", "--all-targets"];
await report.command("clippy, no features", "cargo", [...native, "--no-default-features", ...deny]);
for (const name of names) {
  await report.command(`clippy, ${name}`, "cargo", [
    ...native,
    "--no-default-features",
    "--features",
    name,
    ...deny,
  ]);
}
if (names.length > 1)
  await report.command("clippy, all features", "cargo", [...native, "--all-features", ...deny]);

const wasm = ["clippy", "-q", "-p", "steersman", "--lib", "--target", "wasm32-unknown-unknown"];
// Tests and examples that need a feature are those for browsers.
const web = targets
  .filter((target) => target["required-features"])
  .flatMap(({ name, kind: [kind] }) => [`--${kind}`, name]);
await report.command("clippy, wasm, no features", "cargo", [...wasm, ...deny]);
await report.command("clippy, wasm, all features", "cargo", [...wasm, ...web, "--all-features", ...deny]);

const doc = ["doc", "-q", "--workspace", "--no-deps", "--all-features", "--document-private-items"];
await report.command("rustdoc", "cargo", doc, { env: { RUSTDOCFLAGS: "-D warnings" } });
report.finish();
