// A page (and workers) with the package, for the cases that need a real browser.
import { createServer } from "node:http";
import { join } from "node:path";
import { chatModel } from "../../hostile/provider.mjs";
import { launch, open, serve } from "../../../scripts/browser.mjs";
import { root } from "../../../scripts/common.mjs";

/**
 * Opens a page that has run `script`, a module in which `/dist/index.js` is the package.
 *
 * @param files further scripts to serve, by path
 */
export async function pageWith(script, files = {}) {
  const routes = {
    "/": {
      type: ".html",
      body: '<!doctype html><title>case</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    },
    "/page.js": { type: ".js", body: script },
    "/dist/": join(root, "npm/dist"),
  };
  for (const [path, body] of Object.entries(files)) routes[path] = { type: ".js", body };
  const server = await serve(routes);
  const browser = await launch();
  const opened = await open(browser, server.url);
  return {
    ...opened,
    url: server.url,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** A server on a port of its own that answers with `handle` and lets every page call it. */
export async function providerServer(handle) {
  const server = createServer((request, response) => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    request.resume();
    request.on("end", () => handle(request, response, { ...cors, "content-type": "text/event-stream" }));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
  return {
    model: { ...chatModel, baseUrl },
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}
