// Reading sessions in slices, through the built package.
import assert from "node:assert/strict";
import { test } from "node:test";
import "../../npm/dist/index.js";
import { SessionError, SessionTree } from "../../npm/dist/session.js";
import { crashEngine } from "../../npm/dist/testing.js";
import { entriesOf, header, textOf } from "../../benches/sessions/data.mjs";

const encoder = new TextEncoder();
const sources = () => ({ ids: counted(), now: () => 0 });
const counted = () => {
  let next = 0;
  return () => `fresh${next++}`;
};
const stream = (bytes, size) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
async function* pieces(text, size) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
const seen = (tree) => ({
  entries: tree.getEntries(),
  reports: tree.reports,
  leaf: tree.getLeafId(),
  branch: tree.getBranch().map(({ id }) => id),
  context: tree.buildSessionContext(),
  file: tree.export(),
});

/** A tree is too deep to be compared as it is. */
function rows(roots) {
  const out = [];
  const work = roots.map((node) => [node, 0]);
  for (let row = work.pop(); row; row = work.pop()) {
    const [{ entry, label, children }, depth] = row;
    out.push([entry.id, depth, label]);
    for (const child of children) work.push([child, depth + 1]);
  }
  return out;
}

const line = (entry) => `${JSON.stringify(entry)}\n`;
const custom = (id, parentId, rest) => line({ type: "custom", id, parentId, ...rest });
const damaged = [
  '\ufeff\n{"type":"session", "version":3,"id":"s"}\r\n',
  custom("a", null),
  "gr\u00fc\u00df \ud83d\ude00\n",
  "[1]\n\n",
  custom("b", "a"),
  custom("a", "b"),
  line({ type: "label", id: "l", parentId: "a", targetId: "a", label: "second" }),
  line({ type: "message", parentId: "l", message: { role: "user", content: "no id" } }),
  custom("c", "later"),
  custom("later", "c"),
  custom("d", "d"),
  custom("e", "nobody", { n: 1e2 }),
  line({ type: "message", id: "m", parentId: "b", message: { role: "user", content: "\u00e9\ud83d\ude00" } }),
  '{"type":"message","id":"x","message":{"role":"user","content":"\u20ac',
].join("");

test("a file reads the same from a text, a blob, a stream and pieces, however it is cut", async () => {
  const whole = seen(SessionTree.import(damaged, sources()));
  assert.deepEqual(
    whole.reports.map(({ code, line }) => `${code} ${line}`),
    [
      ...["bad_line 4", "bad_line 5", "duplicate_id 8", "missing_id 10", "truncated_tail 16"],
      ...["orphan 14", "cycle 11", "cycle 13"],
    ],
  );
  const bytes = encoder.encode(damaged);
  const last = encoder.encode(damaged.slice(0, damaged.lastIndexOf("\n") + 1)).length;
  assert.equal(whole.reports.find(({ code }) => code === "truncated_tail").offset, last);
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    for (const source of [stream(bytes, size), pieces(damaged, size)])
      assert.deepEqual(seen(await SessionTree.importAsync(source, sources())), whole, `in ${size}`);
  }
  for (const source of [damaged, new Blob([bytes])])
    assert.deepEqual(seen(await SessionTree.importAsync(source, sources())), whole);
});

test("a file that is cut within a letter says where its last line begins", async () => {
  const text = `{"type":"session","version":3,"id":"s"}\n${custom("a", null)}{"type":"custom","id":"\u20ac`;
  const bytes = encoder.encode(text).slice(0, -1);
  const tree = await SessionTree.importAsync(stream(bytes, 5));
  const offset = bytes.lastIndexOf(10) + 1;
  assert.deepEqual(tree.reports, [{ code: "truncated_tail", line: 3, offset }]);
});

test("older versions are read from every source too", async () => {
  const old = '{"type":"session","id":"s"}\n{"type":"message","message":{"role":"user","content":"x"}}\n';
  const four = `{"v":4,"kind":"header","id":"s","storageVersion":1,"createdAt":0,"cwd":"/"}\n${line({
    ...{ kind: "entry", type: "custom", id: "a", parentId: null, seq: 1, timestamp: 1, customType: "x" },
  })}`;
  for (const text of [old, four]) {
    const whole = seen(SessionTree.import(text, sources()));
    assert.equal(whole.entries.length, 1);
    for (const size of [1, 40, 1000])
      assert.deepEqual(seen(await SessionTree.importAsync(pieces(text, size), sources())), whole);
  }
});

test("what is no session is refused, however it comes", async () => {
  const endless = async function* () {
    for (;;) yield "x".repeat(100_000);
  };
  const cases = [
    ["empty", ""],
    ["empty", "\n \n"],
    ["not_a_session", "# Notes\n"],
    ["not_a_session", '{"type":"note"}\n'],
    ["not_a_session", "null\n"],
    ["not_a_session", '{"type":"session","version":3}\n'],
    ["not_a_session", endless()],
  ];
  for (const [code, source] of cases) {
    const refused = (error) => error instanceof SessionError && error.code === code;
    if (typeof source === "string") assert.throws(() => SessionTree.import(source), refused);
    await assert.rejects(SessionTree.importAsync(source), refused);
  }
});

test("a long file is read in slices, tells how far it is, and can be stopped", async () => {
  const entries = entriesOf(20_000);
  const text = textOf(entries);
  const blob = new Blob([text]);
  const told = [];
  let turns = 0;
  const turn = setInterval(() => turns++, 0);
  const tree = await SessionTree.importAsync(blob, { onProgress: (progress) => told.push(progress) });
  clearInterval(turn);
  assert.equal(tree.export(), text);
  assert.ok(turns > 1 && told.length > 1, "others had their turn");
  assert.ok(
    told.every(({ total, read, entries }) => total === blob.size && read <= total && entries <= 20_000),
  );
  assert.ok(told.at(-1).entries > told[0].entries);
  const stop = new AbortController();
  const options = { signal: stop.signal, onProgress: () => stop.abort() };
  await assert.rejects(SessionTree.importAsync(text, options), { code: "aborted" });
  await assert.rejects(SessionTree.fromAsync(header, entries, { signal: stop.signal }), { code: "aborted" });
  const arriving = async function* () {
    yield* entries;
  };
  const copy = await SessionTree.fromAsync(header, arriving());
  assert.equal(copy.getEntries().length, 20_000);
});

test("a source that fails, fails the import", async () => {
  const broken = async function* () {
    yield '{"type":"session","version":3,"id":"s"}\n';
    throw new RangeError("gone");
  };
  await assert.rejects(SessionTree.importAsync(broken()), RangeError);
});

test("a restart of the engine in the middle is not noticed", async () => {
  const entries = entriesOf(5000);
  const crashing = async function* () {
    for (const [place, entry] of entries.entries()) {
      if (place % 1000 === 999) crashEngine("panic");
      yield entry;
    }
  };
  const tree = await SessionTree.fromAsync(header, crashing());
  assert.deepEqual(seen(tree), seen(SessionTree.from(header, entries)));
});

test("stored entries and those of a file say the same", () => {
  const entries = entriesOf(3000);
  const [file, stored] = [SessionTree.import(textOf(entries)), SessionTree.from(header, entries)];
  assert.deepEqual([file.reports, stored.reports], [[], []]);
  assert.deepEqual(seen(stored), seen(file));
  assert.deepEqual(rows(stored.getTree()), rows(file.getTree()));
  assert.deepEqual(stored.contextSize(), file.contextSize());
  for (const at of [1, 500, 2000]) {
    assert.deepEqual(stored.contextSize(entries[at].id), file.contextSize(entries[at].id));
    const branch = stored.createBranchedSession(entries[at].id, { id: "b", ...sources() });
    const again = SessionTree.import(branch.export());
    assert.deepEqual(again.getEntries(), branch.getEntries());
    assert.deepEqual(again.buildSessionContext(), branch.buildSessionContext());
  }
  const fork = file.fork("f");
  assert.deepEqual(fork.getEntries(), file.getEntries());
  fork.appendMessage({ role: "user", content: "more", timestamp: 1 });
  assert.equal(file.getEntries().length, 3000);
  assert.equal(fork.getBranch().at(-1).message.content, "more");
});

test("a branch is a file of its own, with the lines it came with", () => {
  const entries = entriesOf(1500);
  const text = textOf(entries).replace('"cwd":', '"cwd" : ');
  const tree = SessionTree.import(text);
  tree.branch(entries[1000].id);
  const branch = tree.getBranch();
  const file = tree.export({ branch: true });
  assert.ok(branch.length < 1001, "another branch is left out");
  assert.ok(
    file
      .trimEnd()
      .split("\n")
      .every((line) => text.includes(`${line}\n`)),
  );
  const copy = SessionTree.import(file);
  assert.deepEqual(copy.getEntries(), branch);
  assert.deepEqual(copy.buildSessionContext(), tree.buildSessionContext());
  assert.equal(tree.getEntries().length, 1500);
});

test("a file of version 4 says the same", () => {
  const tree = SessionTree.from(header, entriesOf(1500), sources());
  tree.appendSessionInfo("Prices");
  const [, first, second] = tree.getEntries();
  tree.appendLabelChange(second.id, "here");
  tree.branch(first.id);
  const file = tree.export({ version: 4 });
  const copy = SessionTree.import(file);
  assert.deepEqual(copy.reports, []);
  assert.deepEqual(copy.getEntries(), tree.getEntries());
  assert.equal(copy.getLeafId(), first.id);
  assert.deepEqual(copy.getLabels(), tree.getLabels());
  const values = new Map(copy.beside.values.map(([namespace, key, value]) => [`${namespace}/${key}`, value]));
  assert.equal(values.get(`pi.entry.label/${second.id}`), "here");
  assert.equal(values.get("pi.session.name/"), "Prices");
  assert.equal(copy.export({ version: 4 }), file);
  const alone = SessionTree.import(tree.export({ version: 4, branch: true }));
  assert.deepEqual(alone.getEntries(), tree.getBranch());
  // Of a damaged tree every entry is there, and no parent is missing.
  const broken = SessionTree.import(damaged, sources());
  assert.equal(
    SessionTree.import(broken.export({ version: 4 })).getEntries().length,
    broken.getEntries().length,
  );
});
