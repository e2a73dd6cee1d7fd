// Sessions without what others must not see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exportHtml, importHtml } from "../../npm/dist/html.js";
import { redact, SessionTree } from "../../npm/dist/session.js";
import { hostileFile, payloads } from "./hostile.mjs";
import { assistant, call, png, result, sample, user } from "./sample.mjs";

const KEY = "my/key+1=<&>\"'~é9";
const b64 = (text) => Buffer.from(text).toString("base64");
/** Digits and letters, not the key of anybody. */
const letters = (length) => "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT".repeat(4).slice(0, length);
const shaped = [
  `sk-${letters(40)}`,
  `sk-ant-api03-${letters(20)}_-${letters(20)}`,
  `AIza${letters(35)}`,
  `ghp_${letters(36)}`,
  `github_pat_${letters(30)}`,
  `glpat-${letters(20)}`,
  `xai-${letters(40)}`,
  `gsk_${letters(40)}`,
  `hf_${letters(34)}`,
  `AKIA${letters(60).toUpperCase().slice(0, 16)}`,
  `xoxb-${letters(20)}`,
  `eyJ${letters(12)}.eyJ${letters(20)}.${letters(20)}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${letters(60)}\n-----END RSA PRIVATE KEY-----`,
];

test("a key is hidden in every form and in every place", () => {
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify({ a: KEY }),
    KEY.replace(
      /[&<>"']/g,
      (letter) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" }[letter]};`,
    ),
    ...["", "u", "us", "user:"].map((before) => b64(`${before}${KEY}`)),
    b64(KEY).replaceAll("+", "-").replaceAll("/", "_"),
  ];
  for (const form of forms) {
    const tree = SessionTree.create({ cwd: form });
    tree.appendMessage(user(`a ${form} b ${form}`));
    tree.appendMessage(
      assistant([{ type: "thinking", thinking: form }, call(form, form, { [form]: [form] })]),
    );
    tree.appendMessage(result(form, form, form, { details: { deep: [[{ a: form }]] } }));
    tree.appendCustomEntry(form, { a: form });
    const { tree: clean, replaced } = redact(tree, { keys: [KEY], keyShapes: false });
    assert.equal(replaced, 14, form);
    const file = clean.export();
    // What is left of base64 are the characters that other bytes have a part in.
    for (const part of [form, form.slice(2, -4)])
      assert.ok(!file.includes(JSON.stringify(part).slice(1, -1)), part);
    assert.deepEqual(clean.reports, []);
    assert.equal(clean.getEntries().length, 4);
    const { html } = exportHtml(tree, { redact: { keys: [KEY] } });
    assert.equal(importHtml(html), file);
  }
});

test("what looks like a key is hidden without being named", () => {
  for (const key of shaped) {
    const tree = SessionTree.create();
    tree.appendMessage(user(`The key is ${key}.\nUse "${key}"`));
    const { html, replaced } = exportHtml(tree);
    assert.equal(replaced, 2, key);
    assert.ok(html.includes("2 places were redacted."));
    assert.ok(!html.includes(key.slice(8, 30)), key);
    const { tree: kept } = redact(tree, { keyShapes: false });
    assert.equal(kept, tree);
    assert.equal(exportHtml(tree, { redact: false }).replaced, 0);
  }
  const tree = SessionTree.create();
  tree.appendMessage(user(`-H "Authorization: Bearer ${letters(20)}=="`));
  tree.appendMessage(user(`GET https://a.example/v1?x=1&key=${letters(12)}&y=2`));
  const { tree: clean, replaced } = redact(tree);
  assert.deepEqual(
    clean.getEntries().map(({ message }) => message.content),
    ['-H "Authorization: Bearer [redacted]"', "GET https://a.example/v1?x=1&key=[redacted]&y=2"],
  );
  assert.equal(replaced, 2);
});

test("words are not taken for keys", () => {
  const tree = SessionTree.create();
  tree.appendMessage(
    user(
      "task-management-of-everything, sk-short, bearer of good news everybody, AIza, risk-averse-and-so-on-and-on, ?key=1",
    ),
  );
  tree.appendMessage(
    user([{ type: "image", data: `AIza${letters(35)}${png.slice(0, 1)}`, mimeType: "image/png" }]),
  );
  assert.equal(redact(tree).tree, tree);
});

test("parts are taken out when asked for, and nothing else", () => {
  const tree = sample();
  const whole = tree.export();
  const without = (options) => redact(tree, options).tree.export();
  for (const [option, secret] of [
    ["thinking", "I need the tide, and the wind."],
    ["toolOutputs", "13:00  2.8 m"],
    ["systemPrompt", "pilot of a small harbour"],
    ["customData", "guests"],
    ["paths", "/project"],
  ]) {
    assert.ok(whole.includes(secret));
    const file = without({ [option]: true });
    assert.ok(!file.includes(secret), option);
    const same = file.split("\n").filter((line) => whole.split("\n").includes(line)).length;
    const all = whole.split("\n").length;
    assert.ok(same >= all - 8 && same < all, `${option}: ${all - same} lines differ`);
    const { html } = exportHtml(tree, { redact: { [option]: true } });
    assert.ok(!html.includes(secret), option);
  }
  assert.equal(tree.export(), whole, "the session itself is as it was");
  const all = { thinking: true, toolOutputs: true, systemPrompt: true, customData: true, paths: true };
  const clean = redact(tree, all).tree;
  assert.deepEqual(clean.reports, []);
  assert.deepEqual(
    clean.getEntries().map(({ id, parentId, type }) => [id, parentId, type]),
    tree.getEntries().map(({ id, parentId, type }) => [id, parentId, type]),
  );
  assert.equal(clean.buildSessionContext().messages.length, tree.buildSessionContext().messages.length);
  assert.equal(redact(clean, all).replaced, 0, "twice is once");
});

test("absolute paths, and what is none", () => {
  const tree = SessionTree.create({ cwd: "C:\\work", parentSession: "/srv/me/a.jsonl" });
  const said = [
    ["see /srv/me/notes.txt, or '/etc/passwd'", "see [path], or '[path]'"],
    ["C:\\Users\\me\\a b ~/x/y.md \\\\server\\share\\x", "[path] b [path] [path]"],
    ["file:///srv/me/x", "[path]"],
    ["https://a.example/b/c?d=/e and/or 1/2/3 /word src/a/b.ts <b></b>", undefined],
  ];
  for (const [before] of said) tree.appendMessage(user(before));
  const { tree: clean } = redact(tree, { paths: true });
  assert.deepEqual(
    clean.getEntries().map(({ message }) => message.content),
    said.map(([before, after]) => after ?? before),
  );
  const { cwd, parentSession } = clean.getHeader();
  assert.deepEqual([cwd, parentSession], ["[path]", undefined]);
});

test("whatever a file says can be redacted", () => {
  const tree = SessionTree.import(hostileFile(payloads.slice(0, 4)));
  const all = { thinking: true, toolOutputs: true, systemPrompt: true, customData: true, paths: true };
  for (const options of [all, { keys: payloads.slice(0, 4) }]) {
    const { tree: clean, replaced } = redact(tree, options);
    assert.ok(replaced > 0);
    assert.equal(clean.getEntries().length, tree.getEntries().length);
  }
});
