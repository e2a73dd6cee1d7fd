// The stores of a browser: the suite of all stores (tests/stores/contract.mjs) in a page of Chromium, Firefox and WebKit,
// under a strict policy.
import { join } from "node:path";
import { serve, strictCsp } from "../browser.mjs";
import { Report, root } from "../common.mjs";
import { startEngine } from "../engines.mjs";

/** A page that has not reported by then never will. */
const LONGEST_MS = 120_000;
const wanted = process.argv.slice(2);
const engines = ["chromium", "firefox", "webkit"].filter(
  (name) => wanted.length === 0 || wanted.includes(name),
);
const report = new Report();

for (const engine of engines) {
  let hear = () => {};
  const heard = new Promise((resolve) => {
    hear = resolve;
  });
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
    { "content-security-policy": `${strictCsp}; connect-src 'self'` },
  );
  const browser = startEngine(engine, server.url);
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
  }
}
report.finish();
