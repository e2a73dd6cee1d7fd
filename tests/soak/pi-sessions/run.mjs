// Sessions go from here to pi's own SessionManager and back: the same context on both sides, compactions by our Session
// included. `npm run soak -- pi-sessions`.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "steersman";
import { MemoryStore, Session, SessionTree } from "steersman/session";
import { Report, run } from "../../../scripts/common.mjs";
import { fetchPackages, node24Of } from "../../../scripts/packages.mjs";
import { call, model, scripted, toolOf } from "../../shell/scripted.mjs";

const modules = await fetchPackages("coding");
const node = node24Of(modules);
const folder = mkdtempSync(join(tmpdir(), "pi-sessions-"));
const manager = new URL("manager.mjs", import.meta.url).pathname;

async function pi(action, path) {
  const { code, out } = await run(node, [manager, modules, action, path]);
  assert.equal(code, 0, out);
  return JSON.parse(out);
}

/** What both sides say of a session. */
function same(tree, seen) {
  const { messages, model: named, thinkingLevel } = tree.buildSessionContext();
  const plain = (value) => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(messages), seen.messages);
  assert.deepEqual([plain(named), thinkingLevel], [seen.model, seen.thinkingLevel]);
  assert.deepEqual(Object.entries(tree.getLabels()).sort(), seen.labels.sort());
  assert.equal(tree.getSessionName() ?? null, seen.name);
}

const words = (tokens) => "word".repeat(tokens);

/** A session with a compaction by itself and one that was asked for, branches, a summary of one, and a failed answer. */
async function ours() {
  const answers = Array.from({ length: 80 }, (_, at) =>
    at % 4 === 1 ? [call(`c${at}`, "read", { path: `f${at}` })] : words(90),
  );
  const chat = scripted(answers);
  const streamFn = (asked, context, options) =>
    context.systemPrompt === undefined
      ? chat(asked, context, options)
      : scripted(["Summary."])(asked, context, options);
  const agent = new Agent({
    streamFn,
    initialState: {
      model: { ...model, contextWindow: 2000, maxTokens: 200 },
      systemPrompt: "Be brief.",
      tools: [toolOf("read", () => words(60))],
    },
  });
  const compaction = { reserveTokens: 600, keepRecentTokens: 300 };
  const session = await Session.open({ agent, store: new MemoryStore(), compaction });
  let compactions = 0;
  session.subscribe(({ type, result }) => {
    if (type === "compaction_end" && result) compactions++;
  });
  for (let turn = 0; turn < 24; turn++) await session.prompt(`Question ${turn} ${words(80)}`);
  const asked = session.tree.getEntries().filter(({ message }) => message?.role === "user");
  await session.setLabel(asked[2].id, "third");
  await session.navigate(asked.at(-1).id, { summarize: true, label: "tried" });
  await session.prompt(`Another way ${words(50)}`);
  await session.regenerate();
  await session.setName("Ours");
  await session.compact("the files");
  await session.prompt("And?");
  assert.ok(compactions >= 3, `${compactions} compactions`);
  return session;
}

const report = new Report();
try {
  await report.attempt(
    "a session of ours opens in pi with the same context, goes on there, and comes back",
    async () => {
      const session = await ours();
      const file = join(folder, "ours.jsonl");
      writeFileSync(file, session.tree.export());
      same(session.tree, await pi("read", file));
      const longer = await pi("append", file);
      const back = SessionTree.import(readFileSync(file, "utf8"));
      assert.deepEqual(back.reports, []);
      same(back, longer);
      assert.equal(back.getEntries().length, session.tree.getEntries().length + 2);
    },
  );
  await report.attempt("a place that is not the end of the file is where pi goes on", async () => {
    const session = await ours();
    const asked = session.tree.getEntries().filter(({ message }) => message?.role === "user");
    await session.navigate(asked[1].id);
    const file = join(folder, "place.jsonl");
    writeFileSync(file, session.tree.export());
    same(session.tree, await pi("read", file));
  });
  await report.attempt(
    "a session of pi opens here with the same context and bytes, goes on here, and opens there",
    async () => {
      const written = await pi("write", folder);
      const text = readFileSync(written.file, "utf8");
      const tree = SessionTree.import(text);
      assert.deepEqual(tree.reports, []);
      assert.equal(tree.export(), text);
      same(tree, written);
      const store = new MemoryStore({ id: tree.getSessionId() });
      const { treeWrites } = await import("steersman/session");
      await store.commit(treeWrites(tree));
      const agent = new Agent({ streamFn: scripted(["From here."]), initialState: { model } });
      const session = await Session.open({ agent, store, compaction: { keepRecentTokens: 1 } });
      await session.prompt("From us.");
      await session.compact().catch((error) => assert.equal(error.name, "CompactionError"));
      const file = join(folder, "back.jsonl");
      writeFileSync(file, session.tree.export());
      same(session.tree, await pi("read", file));
    },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report.finish();
