// The built demo on a local server, in Chromium. Every test file starts its own; nothing here needs a network.
import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { build } from "vite";
import { launch } from "../../scripts/browser.mjs";
import { root } from "../../scripts/common.mjs";
import { modelPath } from "../../scripts/setup.mjs";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Listens on a free port of 127.0.0.1. */
export async function listen(handler) {
  const server = createServer(handler);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}

function send(request, response, file, type) {
  response.writeHead(200, { "content-type": type, "content-length": statSync(file).size });
  if (request.method === "HEAD") response.end();
  else createReadStream(file).pipe(response);
}

/** Serves the build, and the weights of the in-page model where `weights` says so. */
const serveDemo = (dist, weights) =>
  listen((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    if (weights && path === "/models/smollm2-135m-instruct.gguf") {
      return send(request, response, weights, "application/octet-stream");
    }
    const file = join(dist, normalize(path === "/" ? "/index.html" : path));
    if (existsSync(file))
      return send(request, response, file, types[extname(file)] ?? "application/octet-stream");
    response.writeHead(404).end();
  });

/** Builds and serves the demo, and starts a browser. `weights`: with the model of the in-page brain. */
export async function startDemo({ weights = false } = {}) {
  const model = weights ? modelPath() : undefined;
  if (weights) assert.ok(model, "the weights are missing: node scripts/setup.mjs model");
  const dist = mkdtempSync(join(tmpdir(), "steersman-demo-"));
  const www = join(root, "www");
  await build({
    root: www,
    configFile: join(www, "vite.config.ts"),
    logLevel: "error",
    build: { outDir: dist, emptyOutDir: true },
  });
  const server = await serveDemo(dist, model);
  const browser = await launch();
  return {
    /**
     * Opens the page in a context of its own. What goes wrong in it is collected in `page.problems`.
     * `init` runs in the page before anything else.
     */
    async open({ init, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      if (init) await context.addInitScript(init);
      const page = await this.tab(context);
      await page.goto(server.url);
      await page.waitForSelector(".empty");
      return page;
    },
    /** Another tab of a context. */
    async tab(context) {
      const page = await context.newPage();
      page.problems = [];
      page.on("pageerror", (error) => page.problems.push(`uncaught: ${error.stack ?? error}`));
      page.on("console", (message) => {
        // A failed request is what several tests are about; a broken content security policy is not.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          page.problems.push(`console: ${message.text()}`);
        }
      });
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
      rmSync(dist, { recursive: true, force: true });
    },
  };
}

/** One demo for all tests of a file, and for each a page of its own, in which nothing may have gone wrong. */
export function eachOnAPage(use) {
  let demo;
  let page;
  before(async () => {
    demo = await startDemo();
  });
  beforeEach(async () => {
    page = await demo.open();
    use(page, demo);
  });
  afterEach(async () => {
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
  after(() => demo?.close());
}

/** Presses the button with this name. */
export const click = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** Types a message and sends it. */
export async function ask(page, text) {
  await page.fill("#message", text);
  await page.press("#message", "Enter");
}

/** Waits until the run is over. */
export const idle = (page, timeout = 60_000) =>
  page.waitForFunction(() => !document.querySelector("#new-conversation").disabled, null, { timeout });

/** Sends a message and waits for the end of the run. */
export async function converse(page, text) {
  await ask(page, text);
  await idle(page);
}

/** Chooses a brain, opening the panel where it is closed. */
export async function choose(page, id) {
  if (
    !(await page
      .locator("#brain-panel")
      .getAttribute("open")
      .then((open) => open !== null))
  ) {
    await page.click("#brain-panel > summary");
  }
  await page.check(`#brain-${id}`);
}

/** The texts of the elements that match, in the order of the page. */
export const texts = (page, selector) => page.locator(selector).allTextContents();

/** What was said, as pairs of speaker and text, without tool cards and facts. */
export const said = (page) =>
  page.$$eval(".message", (messages) =>
    messages.map((message) => [
      message.getAttribute("aria-label"),
      [...message.querySelectorAll(".said, .prose")].map((element) => element.textContent).join("\n"),
    ]),
  );
