// Exported pages, opened in a browser: what they show, and what they do not do.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { exportHtml, importHtml } from "../../npm/dist/html.js";
import { SessionTree } from "../../npm/dist/session.js";
import { launch, serve } from "../../scripts/browser.mjs";
import { badImages, hostileFile, kinds, payloads } from "./hostile.mjs";
import { assistant, png, sample, user } from "./sample.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const routes = { "/": { type: ".html", body: "" }, "/favicon.ico": { type: "image/png", body: "" } };
let browser;
let server;
before(async () => {
  [browser, server] = await Promise.all([launch(), serve(routes)]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

let plain;
/** What a page to read must not do, and did. */
let wrong = [];

async function newPage(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error}`));
  page.on("dialog", (dialog) => dialog.dismiss().then(() => wrong.push("dialog")));
  page.on("request", (request) => {
    const isPage = request.url() === `${server.url}/` || request.url().endsWith("/favicon.ico");
    if (!isPage) wrong.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    globalThis.wrong = [];
    globalThis.hit = (number) => globalThis.wrong.push(`script ${number}`);
    addEventListener("securitypolicyviolation", (event) =>
      globalThis.wrong.push(`policy: ${event.blockedURI}`),
    );
  });
  return page;
}

/** Opens a page of this markup, and fails when it does anything but to be read. */
async function opened(html, action, options) {
  routes["/"].body = html;
  if (!options) plain ??= await newPage();
  const page = options ? await newPage(options) : plain;
  wrong = [];
  try {
    await page.goto(server.url);
    const result = await action(page);
    const seen = () => globalThis.wrong ?? ["the page is another one"];
    const found = options?.javaScriptEnabled === false ? [] : await page.evaluate(seen);
    assert.deepEqual([...wrong, ...found], []);
    return result;
  } finally {
    if (options) await page.context().close();
  }
}

/** Every element and attribute of the page that is not one of ours. */
const strangers = () => {
  const elements =
    "html head meta title style body header h1 h2 h3 dl div dt dd time nav details summary ol ul li a main article p pre code strong blockquote hr img span footer script".split(
      " ",
    );
  const attributes =
    "lang charset http-equiv content name class id aria-labelledby aria-label href rel datetime open tabindex start alt src type".split(
      " ",
    );
  const found = [];
  for (const element of document.querySelectorAll("*")) {
    const name = element.localName;
    if (!elements.includes(name) || element.namespaceURI !== "http://www.w3.org/1999/xhtml") found.push(name);
    if (name === "script" && element.type !== "application/json") found.push("a script that runs");
    for (const { name: attribute, value } of element.attributes) {
      if (!attributes.includes(attribute)) found.push(`${name} ${attribute}`);
      const isLink = /^(https?:\/\/|mailto:|#e\d+$)/.test(value);
      if (attribute === "href" && !isLink) found.push(`link to ${value}`);
      const isImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(value);
      if (attribute === "src" && !isImage) found.push(`image of ${value}`);
    }
  }
  return found;
};

const withoutPolicy = (html) => html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");

test("the policy names the style, and nothing else", () => {
  const { html } = exportHtml(sample());
  const style = html.match(/<style>([^]*?)<\/style>/)[1];
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = html.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/)[1];
  assert.equal(
    policy,
    `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; script-src 'none'; base-uri 'none'; form-action 'none'`,
  );
  assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<title>"));
});

/** What is wrong with a page of a session; without the policy, which must have nothing to do. */
async function wrongWith(tree, options) {
  const { html } = exportHtml(tree, { redact: false, ...options });
  assert.ok(importHtml(html) === tree.export(), "the session inside has the same bytes");
  const [strange, entries, ends] = await opened(withoutPolicy(html), async (tab) => [
    await tab.evaluate(strangers),
    await tab.evaluate(() => document.querySelectorAll("main [id]:not(h2)").length),
    await tab.evaluate(() => document.body.lastElementChild.id),
  ]);
  assert.equal(entries, tree.getEntries().length, "every entry is there");
  assert.equal(ends, "steersman-session");
  return strange;
}

test("nothing that an entry says is markup", async () => {
  for (let at = 0; at < payloads.length; at += 7) {
    const tree = SessionTree.import(hostileFile(payloads.slice(at, at + 7)));
    assert.deepEqual(await wrongWith(tree), []);
  }
});

test("nothing that a header, a title or a label says is markup", async () => {
  for (const [number, payload] of payloads.entries()) {
    const tree = SessionTree.import(hostileFile([payload], []));
    tree.appendLabelChange(tree.appendMessage(user("x")), payload);
    assert.deepEqual(await wrongWith(tree, { title: number % 2 ? payload : undefined }), []);
  }
});

test("the policy finds nothing to forbid", () =>
  opened(exportHtml(SessionTree.import(hostileFile(payloads.slice(0, 9), kinds.slice(0, 5)))).html, (tab) =>
    tab.title(),
  ));

test("as markup the payloads would be noticed", async () => {
  for (const [number, before] of [
    [0, ""],
    [4, ""],
    [5, '<input id="'],
    [15, ""],
    [16, ""],
  ]) {
    const page = `<!doctype html><title>x</title><body>${before}${payloads[number]}"></body>`;
    await assert.rejects(
      opened(page, (tab) => tab.evaluate(() => document.body.click()), {}),
      `payload ${number}`,
    );
  }
});

test("only images are shown, and only those that are nothing else", async () => {
  const tree = SessionTree.create();
  for (const image of badImages) tree.appendMessage(user([{ type: "image", ...image }]));
  for (const type of ["png", "jpeg", "gif", "webp"])
    tree.appendMessage(user([{ type: "image", data: png, mimeType: `image/${type}` }]));
  const { html } = exportHtml(tree);
  const shown = await opened(withoutPolicy(html), (tab) =>
    tab.evaluate(() => [...document.images].map(({ src }) => src.slice(0, 15))),
  );
  assert.deepEqual(shown, ["data:image/png;", "data:image/jpeg", "data:image/gif;", "data:image/webp"]);
  assert.deepEqual(await opened(html, (tab) => tab.evaluate(strangers)), []);
});

test("what turns the direction of a text, and what cannot be seen in a name, is shown", () => {
  const tree = SessionTree.create();
  tree.appendMessage(user("a\u202eb"));
  tree.appendCustomEntry("x\u200by\u{e0041}", {});
  tree.appendSessionInfo("n\u2066m");
  const { html } = exportHtml(tree);
  for (const seen of ["a[U+202E]b", "x[U+200B]y[U+E0041]", "<title>n[U+2066]m</title>"])
    assert.ok(html.includes(seen), seen);
});

test("a page says all that a session says, without scripts", async () => {
  const { html } = exportHtml(sample());
  const options = { javaScriptEnabled: false };
  await opened(
    html,
    async (tab) => {
      const seen = await tab.locator("body").innerText();
      for (const part of [
        ...[
          "Into the harbour by noon",
          "2026-01-01 00:01 UTC",
          "acme/large-1",
          "$0.0211",
          "Thinking level: medium",
        ],
        ...[
          "Let me look at the tide.",
          "North quay",
          "12:00  3.1 m",
          "The station does not answer.",
          "good answer",
        ],
        ...[
          "Then book berth B7.",
          "exit code 1",
          "The context was 12,345 tokens before.",
          "1,200 in",
          "1.8 s",
        ],
      ])
        assert.ok(seen.includes(part), part);
      assert.ok(!seen.includes("I need the tide"), "thinking is folded");
      await tab.getByText("Thinking", { exact: true }).click();
      assert.ok(await tab.getByText("I need the tide").isVisible());
      const branch = tab.locator("details.branch", { hasText: "And with the dinghy?" });
      assert.equal(await branch.getByText("The dinghy can enter").isVisible(), false);
      await branch.locator("summary").first().click();
      assert.ok(await branch.getByText("The dinghy can enter").isVisible());
    },
    options,
  );
});

test("what a file had escaped stays so, and lines keep their bytes", () => {
  const file =
    '{"type":"session", "version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}\n' +
    '{"type":"custom","id":"a","parentId":null,"timestamp":"x","customType":"\\u003c\\u003C<\\/&amp;","data":{"n":1.50,"s":"\\ud83d"}}\n';
  const { html } = exportHtml(SessionTree.import(file), { redact: false });
  assert.equal(importHtml(html), file);
  assert.equal(
    importHtml(`\ufeff${html.replaceAll("\n", "\r\n")}`),
    file,
    "also when an editor changed the ends of lines",
  );
  for (const none of ["", "<p>", html.replace('[\n"', "[\n"), exportHtml(sample(), { data: false }).html])
    assert.throws(() => importHtml(none), { name: "SessionError", code: "not_a_session" });
});

test("branches of branches of branches are all there", () => {
  const tree = SessionTree.create();
  tree.appendMessage(user("start"));
  for (let depth = 0; depth < 3000; depth++) {
    const at = tree.getLeafId();
    tree.appendMessage(assistant(`a${depth}`));
    tree.branch(at);
    tree.appendMessage(user(`b${depth}`));
  }
  // A leaf at the beginning: everything else is beside the branch.
  tree.branch(tree.getEntries()[0].id);
  const { html } = exportHtml(tree, { data: false });
  assert.equal(html.match(/<article/g).length, 6001);
  let depth = 0;
  let deepest = 0;
  for (const [tag] of html.matchAll(/<details class="branch">|<\/div><\/details>/g)) {
    depth += tag.startsWith("</") ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  assert.equal(depth, 0);
  assert.ok(deepest < 10, `${deepest} sections within each other`);
});

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing, ${colorScheme}`, () =>
    opened(
      exportHtml(sample()).html,
      async (tab) => {
        await tab.evaluate(axe);
        const audit = () =>
          tab.evaluate(async () =>
            (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
          );
        assert.deepEqual(await audit(), []);
        await tab.evaluate(() =>
          document.querySelectorAll("details").forEach((one) => {
            one.open = true;
          }),
        );
        assert.deepEqual(await audit(), []);
        await tab.setViewportSize({ width: 320, height: 600 });
        assert.deepEqual(await audit(), []);
        assert.equal(
          await tab.evaluate(() => document.documentElement.scrollWidth),
          320,
          "nothing is wider than a phone",
        );
      },
      { colorScheme },
    ));
