// B122: Vite's dependency pre-bundling moved the JavaScript away from its .wasm, so the dev server answered 404 while
// the production build worked.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build, createServer, preview } from "vite";
import { launch, open } from "../../../scripts/browser.mjs";
import { root } from "../../../scripts/common.mjs";

const app = mkdtempSync(join(tmpdir(), "steersman-vite-"));
const main = `
import { Agent } from "steersman";
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const final = { role: "assistant", content: [{ type: "text", text: "hi" }], stopReason: "stop", usage };
const streamFn = () => ({
  async *[Symbol.asyncIterator]() { yield { type: "done", reason: "stop", message: final }; },
  result: async () => final,
});
const agent = new Agent({ streamFn });
await agent.prompt("a");
globalThis.result = agent.state.messages.map(({ role, stopReason }) => [role, stopReason]);
`;
let browser;

before(async () => {
  // A copy, as an installation makes it: what is linked is not pre-bundled.
  const installed = join(app, "node_modules/steersman");
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, "npm/package.json"), join(installed, "package.json"));
  cpSync(join(root, "npm/dist"), join(installed, "dist"), { recursive: true });
  writeFileSync(join(app, "package.json"), '{ "name": "app", "private": true, "type": "module" }');
  writeFileSync(join(app, "main.js"), main);
  writeFileSync(
    join(app, "index.html"),
    '<!doctype html><title>app</title><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>',
  );
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(app, { recursive: true, force: true });
});

const common = { root: app, configFile: false, logLevel: "silent" };

async function works(url) {
  const { page, problems, close } = await open(browser, url);
  await page.waitForFunction(() => globalThis.result, undefined, { timeout: 60_000 });
  assert.deepEqual(await page.evaluate(() => globalThis.result), [
    ["user", undefined],
    ["assistant", "stop"],
  ]);
  assert.deepEqual(problems, []);
  await close();
}

test("B122 the dev server of Vite serves the package in its default configuration", async () => {
  const server = await createServer({ ...common, server: { host: "127.0.0.1", port: 0, strictPort: false } });
  try {
    await server.listen();
    await works(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});

test("B122 the build of Vite works in its default configuration", async () => {
  await build({ ...common, build: { target: "es2022" } });
  const server = await preview({ ...common, preview: { host: "127.0.0.1", port: 0 } });
  try {
    await works(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});
