// The same in a page: the hostile suite under a strict policy, with an iframe as the other realm.
import { join } from "node:path";
import { launch, open, serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";

const report = new Report();
const script = `
import * as steersman from "/dist/index.js";
import * as testing from "/dist/testing.js";
import { hostile } from "/tests/hostile/suite.mjs";
const frame = document.body.appendChild(document.createElement("iframe"));
const { Object: O, Array: A, Error: E, Promise: P } = frame.contentWindow;
const host = { steersman, testing, realm: { Object: O, Array: A, Error: E, Promise: P } };
globalThis.lines = [];
globalThis.play = () => hostile(host, { from: 1, count: 200 }, (line) => globalThis.lines.push(line));
`;
const html = '<!doctype html><title>hostile</title><body><script type="module" src="/page.js"></script>';
const server = await serve(
  {
    "/": { type: ".html", body: html },
    "/page.js": { type: ".js", body: script },
    "/dist/": join(root, "npm/dist"),
    "/tests/": join(root, "tests"),
  },
  { "content-security-policy": strictCsp },
);
const browser = await launch();
try {
  const { page, problems } = await open(browser, server.url);
  await page.waitForFunction(() => globalThis.play, undefined, { timeout: 30_000 });
  const parts = await page.evaluate(() => globalThis.play());
  console.log((await page.evaluate(() => globalThis.lines)).join("\n"));
  for (const { name, passed, failures } of parts) {
    report.add(passed, 0);
    for (const failure of failures) report.check(false, failure.name, failure.detail);
    console.log(`figures: ${name}: ${passed} of ${passed + failures.length}`);
  }
  report.check(problems.length === 0, "no policy violation, no uncaught error", problems.join("\n"));
} finally {
  await browser.close();
  await server.close();
}
report.finish();
