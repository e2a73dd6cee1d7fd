// Runs test files with Node's test runner and counts what it reports.
import { relative } from "node:path";
import { Report, root, run, walk } from "./common.mjs";

/**
 * Runs every *.test.mjs below `dir`, one file at a time; an empty folder is a failure.
 *
 * @param options `report`: holds what has been counted before
 */
export async function nodeTests(dir, { env = {}, seconds = 1400, report = new Report() } = {}) {
  const files = walk(dir, (file) => file.endsWith(".test.mjs"));
  report.check(files.length > 0, `${relative(root, dir)} holds *.test.mjs files`);
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", ...files];
  if (files.length > 0) {
    const { code, out } = await run(process.execPath, args, { env, seconds, show: true });
    const count = (word) => Number(out.match(new RegExp(`^ℹ ${word} (\\d+)$`, "m"))?.[1] ?? 0);
    report.add(count("pass"), count("fail") + count("cancelled"));
    report.check(code === 0 || report.failed > 0, "node --test", `exit ${code}`);
    report.check(count("skipped") + count("todo") === 0, "no test is skipped");
  }
  report.finish();
}
