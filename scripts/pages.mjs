// Builds the examples in examples/pages, prints what a page loads for each, and uses each in Chromium, against a model
// server that follows a script: `npm run pages [NAME ...]`. Not a stage of `npm test`: the front ends bring hundreds of
// crates, which take many minutes to compile.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveScripts } from "../tests/transport/server.mjs";
import { launch, serve } from "./browser.mjs";
import { wasmFeatureFlags } from "./build.mjs";
import { bin, brotliSize, must, Report, root, targetDir, useTools } from "./common.mjs";

useTools();
const pages = join(root, "examples/pages");
const wanted = process.argv.slice(2);
const names = readdirSync(pages).filter(
  (name) =>
    statSync(join(pages, name)).isDirectory() &&
    name !== "target" &&
    (wanted.length === 0 || wanted.includes(name)),
);
const target = join(targetDir, "pages");
const wasm32 = "wasm32-unknown-unknown";
// All of them: for one alone cargo would compile shared crates anew, with other features.
await must("cargo", ["build", "-q", "--release", "--target", wasm32], {
  cwd: pages,
  env: { CARGO_TARGET_DIR: target },
});

const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
const report = new Report();
const models = await serveScripts(0);
const modelServer = `http://127.0.0.1:${models.address().port}`;
const browser = await launch();
for (const name of names) await report.attempt(name, () => tryOut(name));
await browser.close();
models.closeAllConnections();
models.close();
report.finish();

/** What trunk makes of an example: glue, a module made small, a page. */
async function bundle(name) {
  const out = join(target, "site", name);
  mkdirSync(out, { recursive: true });
  const module = join(target, wasm32, "release", `${name}-chat.wasm`);
  await must("wasm-bindgen", ["--target", "web", "--no-typescript", "--out-dir", out, module]);
  const wasm = join(out, `${name}-chat_bg.wasm`);
  await must(bin("wasm-opt"), [wasm, "-Oz", ...wasmFeatureFlags, "-o", wasm]);
  const start = `import init from "./${name}-chat.js";\ninit();\n`;
  writeFileSync(join(out, "start.js"), start);
  const html = readFileSync(join(pages, name, "index.html"), "utf8");
  const script = '<script type="module" src="start.js"></script>';
  writeFileSync(join(out, "index.html"), html.replace('<link data-trunk rel="rust">', script));
  const sizes = [wasm, join(out, `${name}-chat.js`)].map((file) => {
    const bytes = readFileSync(file);
    return [bytes.length, brotliSize(bytes)];
  });
  const [[raw, small], [, glue]] = sizes;
  console.log(`figures: ${name}: wasm ${kB(raw)}, brotli ${kB(small)} and ${kB(glue)} of glue`);
  return out;
}

/** A tool that changes the page, a message that steers, a stop, and a server that refuses. */
async function tryOut(name) {
  const out = await bundle(name);
  const files = await serve({ "/": out });
  const page = await browser.newPage();
  const said = [];
  page.on("pageerror", (error) => said.push(error.message));
  page.on("console", (message) => message.type() === "error" && said.push(message.text()));
  try {
    await use(name, page, files.url);
    // What the browser itself says about the status 401.
    const faults = said.filter((text) => !text.includes("401"));
    if (faults.length > 0) throw new Error(faults.join("\n"));
  } catch (error) {
    throw new Error([error.message, ...said, await page.locator("body").innerText()].join("\n"));
  } finally {
    await page.close();
    await files.close();
  }
}

async function use(name, page, url) {
  await page.goto(`${url}/index.html`);
  page.setDefaultTimeout(20_000);
  const say = async (text) => {
    await page.fill("#message", text);
    await page.click("#send");
  };
  const line = (text) => page.locator("li", { hasText: text }).waitFor();
  await page.fill("#server", `${modelServer}/chat/${name}`);

  await say("Paint it");
  await line("Done. The page is #ffeecc now.");
  const colour = await page.locator("main").evaluate((main) => getComputedStyle(main).backgroundColor);
  if (colour !== "rgb(255, 238, 204)") throw new Error(`the page is ${colour}`);

  await say("Tell a story");
  await page.locator("#live", { hasText: "Once upon a time" }).waitFor();
  await page.locator("#send", { hasText: "Steer" }).waitFor();
  await say("Be brief");
  await fetch(`${modelServer}/tell/${name}`);
  await line("Once upon a time all was well.");
  await line("You said: Be brief");
  await page.locator("#send", { hasText: "Send" }).waitFor();

  await say("Wait");
  await page.locator("#live", { hasText: "Waiting" }).waitFor();
  await page.screenshot({ path: join(target, `${name}.png`) });
  await page.click("#stop");
  await line("Request was aborted");

  await page.fill("#server", `${modelServer}/key/${name}`);
  await say("Hello");
  await line("no such key");
  await page.screenshot({ path: join(target, `${name}-end.png`) });
}
