// Chromium and a small file server for the checks that need a real page.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import { which } from "./common.mjs";

/** The Chromium to use: STEERSMAN_CHROMIUM, or the one on PATH. */
export const chromiumPath = () => process.env.STEERSMAN_CHROMIUM ?? which("chromium") ?? "/usr/bin/chromium";

/** Nothing but the local server is needed, so everything that would call home is off. */
export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = () =>
  chromium.launch({ executablePath: chromiumPath(), headless: true, args: chromiumFlags });

/** A policy under which only our own files and wasm compilation are allowed: no eval, no inline script, no fetch. */
export const strictCsp = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".css": "text/css; charset=utf-8",
};

/**
 * Serves folders and texts on a free port of 127.0.0.1. `routes` maps a path prefix that ends in "/" to a
 * folder, any other path to `{type, body}` or to a function of request and response. Every answer carries `headers`.
 */
export async function serve(routes, headers = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const route = routes[path];
    if (typeof route === "function") {
      route(request, response);
      return;
    }
    if (route !== undefined && typeof route !== "string") {
      response
        .writeHead(200, { ...headers, "content-type": types[route.type] ?? route.type })
        .end(route.body);
      return;
    }
    const prefix = Object.keys(routes).find((key) => typeof routes[key] === "string" && path.startsWith(key));
    const file = prefix && join(routes[prefix], normalize(`/${path.slice(prefix.length)}`));
    if (!file || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, headers).end("not found");
      return;
    }
    response.writeHead(200, {
      ...headers,
      "content-type": types[extname(file)] ?? "application/octet-stream",
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}

/** Opens a page and collects whatever goes wrong in it: uncaught errors, failed requests, policy violations. */
export async function open(browser, url, { waitFor = "load" } = {}) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack ?? error}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("requestfailed", (request) => problems.push(`request failed: ${request.url()}`));
  await page.goto(url, { waitUntil: waitFor });
  return { page, problems, close: () => context.close() };
}
