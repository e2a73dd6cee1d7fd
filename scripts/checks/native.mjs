// The native tests: unit, integration and documentation tests of both crates, and every example to its end.
import { must, Report, run } from "../common.mjs";

const report = new Report();
const tests = ["test", "--workspace", "--no-fail-fast", "--", "--show-output"];
const { code, out } = await run("cargo", tests, { show: true });
const results = [...out.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
const sum = (column) => results.reduce((total, match) => total + Number(match[column]), 0);
report.add(sum(1), sum(2));
report.check(code === 0 || sum(2) > 0, "cargo test", "see the output above");
const warned = out.match(/^warning: .* generated \d+ warnings?.*$/gm) ?? [];
report.check(warned.length === 0, "no warning of the compiler", warned.join("\n"));
// What tests that passed have printed is what they have counted.
for (const [, printed] of out.matchAll(/^---- .* stdout ----\n((?:.+\n)+)/gm)) {
  for (const line of printed.trim().split("\n")) console.log(`figures: ${line}`);
}
report.check(sum(3) === 0, "no test is ignored", `${sum(3)} ignored`);

// Those that need a feature are for browsers.
const metadata = JSON.parse(await must("cargo", ["metadata", "-q", "--no-deps", "--format-version", "1"]));
const { targets } = metadata.packages.find((item) => item.name === "steersman");
for (const { name } of targets.filter((one) => one.kind.includes("example") && !one["required-features"])) {
  await report.attempt(`example ${name}`, () =>
    must("cargo", ["run", "-q", "--example", name], { seconds: 120 }),
  );
}
report.finish();
