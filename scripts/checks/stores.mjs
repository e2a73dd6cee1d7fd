// The stores of a browser: the suite of all stores (tests/stores/contract.mjs) in a page of Chromium, Firefox and WebKit,
// under a strict policy; then several pages of Chromium, and Chromium killed while it writes.
// `node scripts/checks/stores.mjs [PART ...]`, parts: the engines, `tabs`, `killed` (`--kills N`).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";
import { killRounds } from "../../tests/stores/killed.mjs";
import { tabs } from "../../tests/stores/tabs.mjs";
import { startEngine } from "../engines.mjs";
import { sessionServer } from "../../examples/session-server.mjs";

/** A page that has not reported by then never will. */
const LONGEST_MS = 400_000;
const args = process.argv.slice(2);
const kills = args.includes("--kills") ? Number(args.splice(args.indexOf("--kills"), 2)[1]) : 5;
const wants = (name) => args.length === 0 || args.includes(name);
const engines = ["chromium", "firefox", "webkit"].filter(wants);
const report = new Report();

for (const engine of engines) {
  let hear = () => {};
  const heard = new Promise((resolve) => {
    hear = resolve;
  });
  const folder = mkdtempSync(join(tmpdir(), "steersman-sessions-"));
  const sessions = await sessionServer(folder);
  await new Promise((ready) => sessions.listen(0, "127.0.0.1", ready));
  const remote = `http://127.0.0.1:${sessions.address().port}`;
  const server = await serve(
    {
      "/": {
        type: ".html",
        body: '<!doctype html><title>stores</title><script type="module" src="/tests/stores/page.mjs"></script>',
      },
      "/dist/": join(root, "npm/dist"),
      "/tests/": join(root, "tests"),
      "/report": async (request, response) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        response.writeHead(204).end();
        hear(JSON.parse(Buffer.concat(parts).toString("utf8")));
      },
    },
    { "content-security-policy": `${strictCsp}; connect-src 'self' ${remote}` },
  );
  const browser = startEngine(
    engine,
    `${server.url}/?lost=${engine === "chromium" ? 10_000 : 300}&remote=${remote}`,
  );
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref());
  try {
    const result = await Promise.race([heard, browser.ended, late]);
    report.check(Array.isArray(result?.parts), `${engine}: the page reports`, browser.output());
    for (const { name, passed, failures } of result?.parts ?? []) {
      report.add(passed, 0);
      for (const failure of failures)
        report.check(false, `${engine}: ${name}: ${failure.name}`, failure.detail);
      console.log(`figures: ${engine}: ${name}: ${passed} of ${passed + failures.length}`);
    }
    for (const figure of result?.figures ?? []) console.log(`figures: ${engine}: ${figure}`);
  } finally {
    await browser.stop();
    await server.close();
    sessions.closeAllConnections();
    sessions.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
if (wants("tabs")) for (const figure of await tabs(report)) console.log(`figures: ${figure}`);
if (wants("killed")) console.log(`figures: ${await killRounds(report, kills)}`);
report.finish();
