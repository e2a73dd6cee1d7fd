// Where code has less than a page has: extensions, webviews, frames without an origin, shared workers, hosts that compile
// nothing; and a development server. All through bundles of the installed package. What is given to `after` is undone at
// the end, also when something fails.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import esbuild from "esbuild";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { chromiumFlags, chromiumPath, open, serve } from "../scripts/browser.mjs";

/** One classic script, as editors and extensions want it; characters stay what they are. */
const bundle = (entry, outfile, format = "iife") =>
  esbuild.build({
    ...{ entryPoints: [entry], outfile, format, bundle: true, charset: "utf8", logLevel: "silent" },
  });

const inline = (file) => readFileSync(file, "utf8").replaceAll("</script", "<\\/script");

/** Extensions: a page, a service worker that is stopped, a content script under the policy of its page. */
export async function extension({ app, report, judge, after }) {
  const folder = join(app, "extension");
  await bundle(join(app, "default.mjs"), join(folder, "popup.js"), "esm");
  await bundle(join(folder, "worker.mjs"), join(folder, "worker.js"), "esm");
  await bundle(join(folder, "content.mjs"), join(folder, "content.js"));
  const strict = await serve(
    { "/": { type: ".html", body: "<!doctype html>" } },
    { "content-security-policy": "default-src 'none'" },
  );
  after(strict.close);
  // The shell of Playwright knows no extensions.
  const context = await chromium.launchPersistentContext("", {
    executablePath: chromiumPath(),
    headless: false,
    args: [
      ...chromiumFlags,
      "--headless=new",
      "--disable-features=DisableLoadExtensionCommandLineSwitch",
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
  after(() => context.close());
  const [worker = await context.waitForEvent("serviceworker")] = context.serviceWorkers();
  const page = await context.newPage();
  await page.goto(new URL("popup.html", worker.url()).href);
  judge("extension: page", await page.evaluate(() => globalThis.result));

  const say = (text) => page.evaluate((message) => chrome.runtime.sendMessage(message), text);
  const first = await say("one");
  const session = await context.newCDPSession(page);
  const stopped = new Promise((done) => {
    session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      if (versions.some(({ runningStatus }) => runningStatus === "stopped")) done();
    });
  });
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await stopped;
  const second = await say("two");
  report.check(first.born !== second.born, "extension: the worker was stopped and began anew");
  const said = second.said?.map((content) => content[0]?.text ?? content);
  judge("extension: the conversation went on", said ?? second, ["one", "two"]);

  await page.goto(strict.url);
  await page.waitForFunction(() => document.documentElement.title);
  const told = await page.evaluate(() => document.documentElement.title);
  judge("extension: a content script is told of the policy", told, "wasm_blocked_by_csp");
}

/** A webview: one script with a nonce inside of the page, and nothing that could be fetched. */
export async function webview({ app, report, judge, browser, after }) {
  const file = join(app, "built/webview.js");
  await bundle(join(app, "default.mjs"), file);
  const policy = "default-src 'none'; script-src 'nonce-abc' 'wasm-unsafe-eval'";
  const view = (head) => ({
    type: "text/html",
    body: `<!doctype html>${head}<meta http-equiv="content-security-policy" content="${policy}"><title>view</title>
      <script nonce="abc">${inline(file)}</script>`,
  });
  const server = await serve({ "/": view('<meta charset="utf-8">'), "/other": view("") });
  after(server.close);
  const good = await open(browser, server.url);
  judge("webview", await good.page.evaluate(() => globalThis.result));
  await good.close();
  const bad = await open(browser, `${server.url}/other`);
  const text = await bad.page.evaluate(() => globalThis.result.catch(({ message }) => message));
  report.check(/not read as UTF-8.+<meta charset/.test(text), "webview without an encoding: told", text);
  await bad.close();
}

/** A frame in a sandbox has no origin of its own. */
export async function sandbox({ app, report, judge, browser, after }) {
  const file = join(app, "built/frame.js");
  await bundle(join(app, "frame.mjs"), file);
  const server = await serve({
    "/": { type: ".html", body: '<!doctype html><iframe sandbox="allow-scripts" src="/frame"></iframe>' },
    "/frame": { type: ".html", body: `<!doctype html><title>frame</title><script>${inline(file)}</script>` },
  });
  after(server.close);
  const { page, close } = await open(browser, server.url);
  after(close);
  const [, frame] = page.frames();
  await frame.waitForFunction(() => globalThis.result);
  const [used, persisted, told] = await frame.evaluate(() =>
    globalThis.result.then(([first, store, why]) => [first, store.persisted, why]),
  );
  judge("frame in a sandbox", used);
  const [code, text] = told;
  const fell = persisted === false && code === "unavailable" && /nothing can be kept.+denied/.test(text);
  report.check(fell, "frame in a sandbox: sessions stay in memory, and it is told", String(told));
}

/** The development server of Vite bundles dependencies in its own way. */
export async function development({ app, judge, browser, after }) {
  writeFileSync(
    join(app, "dev.html"),
    '<!doctype html><title>dev</title><script type="module" src="/default.mjs"></script>',
  );
  const vite = await createServer({
    ...{ root: app, configFile: false, logLevel: "silent" },
    server: { host: "127.0.0.1", port: 0 },
    optimizeDeps: { entries: ["dev.html"] },
  });
  await vite.listen();
  after(() => vite.close());
  const { page, close } = await open(browser, new URL("dev.html", vite.resolvedUrls.local[0]).href);
  after(close);
  // It may load the page again when it has found a dependency.
  await page.waitForFunction(() => globalThis.result);
  judge("development server", await page.evaluate(() => globalThis.result));
}

/** Edge workers: modules are compiled at deployment, never at run time. */
export async function edge({ app, report, judge, installed }) {
  const names = ["TextEncoder", "TextDecoder", "Response", "Headers", "ReadableStream", "URL", "performance"];
  names.push("AbortController", "AbortSignal", "crypto", "structuredClone", "DOMException", "queueMicrotask");
  names.push("setTimeout", "clearTimeout", "MessageChannel", "console");
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  const compiled = (name) => new WebAssembly.Module(readFileSync(join(installed, "dist", name)));
  const modules = { engine: compiled("steersman.wasm"), session: compiled("session.wasm") };
  const run = async (name) => {
    const file = join(app, `built/edge-${name}.js`);
    await bundle(join(app, `${name}.mjs`), file);
    const codeGeneration = { strings: false, wasm: false };
    const host = vm.createContext({ ...globals, modules }, { codeGeneration });
    vm.runInContext(readFileSync(file, "utf8"), host);
    // Objects of another realm are never equal to ours.
    return host.result.then(
      (value) => JSON.parse(JSON.stringify(value)),
      ({ message }) => message,
    );
  };
  judge("edge worker", await run("edge"));
  const text = await run("default");
  const told = /Give init\(\) what `import` makes of steersman\/steersman\.wasm/.test(text);
  report.check(told, "edge worker without a module: told what to do", String(text));
}
