// Sessions through the built package: our own tests (tests/session; live/ also in Chromium), and the recorded cases of pi's sessions and
// compaction where they are laid out, through pkg-tests/adapters/session-check.mjs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { launch, open, serve } from "../browser.mjs";
import { nodeTests } from "../node-tests.mjs";
import { Report, root, run, sharedDir } from "../common.mjs";

const report = new Report();
const shared = sharedDir();
const player = shared && join(shared, "conformance-session/check.mjs");
if (player && existsSync(player)) {
  const adapter = join(root, "pkg-tests/adapters/session-check.mjs");
  const played = await run(process.execPath, [player, "--module", adapter]);
  const { passed, failed } = report.addRun("recorded sessions", played);
  console.log(`figures: recorded sessions and compactions: ${passed} of ${passed + failed}`);
} else console.log("no recordings here: own tests only");
const server = await serve({
  "/": {
    type: ".html",
    body: '<!doctype html><title>session</title><script type="module" src="/page.js"></script>',
  },
  "/favicon.ico": { type: ".ico", body: "" },
  "/page.js": {
    type: ".js",
    body: `
import * as steersman from "/dist/index.js";
import * as session from "/dist/session.js";
import * as pi085 from "/dist/pi-0.85.js";
import { play } from "/tests/session/live/suite.mjs";
globalThis.play = () => play({ steersman, session, pi085 });
`,
  },
  "/dist/": join(root, "npm/dist"),
  "/tests/": join(root, "tests"),
});
const browser = await launch();
try {
  const { page, problems } = await open(browser, server.url);
  await page.waitForFunction(() => globalThis.play, undefined, { timeout: 30_000 });
  const { count, failures } = await page.evaluate(() => globalThis.play());
  report.add(count - Object.keys(failures).length, 0);
  for (const [name, why] of Object.entries(failures)) report.check(false, `in Chromium: ${name}`, why);
  report.check(problems.length === 0, "no uncaught error in Chromium", problems.join("\n"));
  console.log(`figures: live sessions in Chromium: ${count - Object.keys(failures).length} of ${count}`);
} finally {
  await browser.close();
  await server.close();
}
await nodeTests(join(root, "tests/session"), { report });
