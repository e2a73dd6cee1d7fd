// Sessions through the built package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AssistantMessageEventStream } from "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import { crashEngine } from "../../npm/dist/testing.js";

const { SessionTree, SessionError } = session;
const user = (content) => ({ role: "user", content, timestamp: 1 });
const usage = {
  ...{ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const assistant = (text, rest = {}) => ({
  ...{ role: "assistant", content: [{ type: "text", text }], api: "a", provider: "p", model: "m" },
  ...{ usage, stopReason: "stop", timestamp: 2 },
  ...rest,
});
const roles = (tree) => tree.buildSessionContext().messages.map(({ role }) => role);
const refuses = (code, act) =>
  assert.throws(act, (error) => error instanceof SessionError && error.code === code);

/** A session with these turns of about 1000 tokens a message. */
function talk(turns) {
  const tree = SessionTree.create({ id: "s" });
  for (let turn = 0; turn < turns; turn++) {
    tree.appendMessage(user(`${turn}`.padEnd(4000, "x")));
    tree.appendMessage(
      assistant("y".repeat(4000), { usage: { ...usage, totalTokens: 0, input: 0, output: 0 } }),
    );
  }
  return tree;
}

const model = { id: "m", provider: "p", api: "a", reasoning: false, contextWindow: 8000, maxTokens: 100 };
function answering(...replies) {
  const asked = [];
  const streamFn = (_model, context, options) => {
    asked.push({ context, options });
    const message = replies.shift();
    const stream = new AssistantMessageEventStream();
    const bad = message.stopReason === "error" || message.stopReason === "aborted";
    stream.push(
      bad
        ? { type: "error", reason: message.stopReason, error: message }
        : { type: "done", reason: message.stopReason, message },
    );
    return stream;
  };
  return { asked, streamFn };
}

test("the messages of an agent become a branch, and a branch becomes its messages", async () => {
  const { streamFn } = answering(assistant("one"), assistant("two"));
  const agent = new Agent({ initialState: { model }, streamFn });
  const tree = SessionTree.create();
  agent.subscribe((event) => {
    if (event.type === "message_end") tree.appendMessage(event.message);
  });
  await agent.prompt("first");
  const before = tree.getLeafId();
  await agent.prompt("second");
  tree.branch(before);
  assert.deepEqual(roles(tree).slice(-2), ["user", "assistant"]);
  const { messages, sources } = tree.buildSessionContext();
  assert.equal(messages.at(-1), sources.at(-1).message, "a message is the entry's own object");
});

test("what was imported is exported with the same bytes", () => {
  const header = '{"type":"session", "version":3,"id":"s","mood":1.50}\n';
  const text = `${header}{"type":"hologram","id":"x","parentId":null,"text":"\\u0041\\ud83d","n":12345678901234567890}\n`;
  const tree = SessionTree.import(text);
  assert.equal(tree.export(), text);
  assert.deepEqual(tree.reports, []);
  assert.equal(tree.getEntry("x").text, "A\ud83d");
});

test("a file goes on where the session stood", () => {
  const tree = talk(2);
  const [first] = tree.getEntries();
  tree.branch(first.id);
  const copy = SessionTree.import(tree.export());
  assert.deepEqual(
    copy.getBranch().map(({ type }) => type),
    ["message", "custom"],
  );
  assert.deepEqual(roles(copy), ["user"]);
  assert.equal(tree.getEntries().length, 4, "the mark is in the file only");
});

test("a damaged file is read, and says what was wrong", () => {
  const tree = SessionTree.import(
    '{"type":"session","version":3,"id":"s"}\nnothing\n{"type":"custom","id":"a","parentId":"gone"}\n{"type":"c',
  );
  assert.deepEqual(tree.reports, [
    { code: "bad_line", line: 2 },
    { code: "truncated_tail", line: 4, offset: 93 },
    { code: "orphan", line: 3, id: "a" },
  ]);
  refuses("empty", () => SessionTree.import(""));
  refuses("not_a_session", () => SessionTree.import("# Notes\n"));
});

test("what is refused changes nothing", () => {
  const tree = talk(1);
  const before = tree.export();
  refuses("unknown_entry", () => tree.branch("nobody"));
  refuses("unknown_entry", () => tree.appendLabelChange("nobody", "x"));
  refuses("pending_message", () => tree.appendMessage(assistant("", { stopReason: "pending" })));
  refuses("malformed", () => tree.appendContextEdit(tree.getLeafId(), { text: "x" }));
  refuses("bad_id", () => SessionTree.create({ id: "a b" }));
  const loop = {};
  loop.loop = loop;
  refuses("malformed", () => tree.appendCustomEntry("loop", loop));
  assert.equal(tree.export(), before);
  assert.equal(tree.getEntries().length, 2);
});

test("an id that is taken is drawn again, and a source that has no other is given up", () => {
  const tree = SessionTree.create({ ids: () => "same" });
  const ids = [1, 2, 3].map((turn) => tree.appendMessage(user(`${turn}`)));
  assert.equal(ids[0], "same");
  assert.equal(new Set(ids).size, 3);
  assert.match(ids[1], /^[0-9a-f]{8}-/);
});

test("a session outlives the engine", () => {
  const tree = talk(2);
  const [, second] = tree.getEntries();
  tree.appendLabelChange(second.id, "here");
  tree.branch(second.id);
  const before = tree.buildSessionContext();
  for (const how of ["panic", "stack"]) {
    crashEngine(how);
    assert.deepEqual(tree.buildSessionContext(), before);
    assert.equal(tree.getLeafId(), second.id);
  }
  tree.appendMessage(user("on"));
  assert.deepEqual(roles(tree), ["user", "assistant", "user"]);
  tree.dispose();
  tree.dispose();
  assert.equal(tree.getLabels()[second.id], "here");
});

test("the tree has every entry once, with labels", () => {
  const tree = talk(1);
  const [first] = tree.getEntries();
  tree.branch(first.id);
  tree.appendLabelChange(first.id, "start");
  const [root] = tree.getTree();
  assert.equal(root.label, "start");
  assert.deepEqual(
    root.children.map(({ entry }) => entry.type),
    ["message", "label"],
  );
  tree.resetLeaf();
  tree.appendMessage(user("again"));
  assert.equal(tree.getTree().length, 2);
  assert.deepEqual(tree.getBranch(null), []);
});

test("a compaction puts a summary in place of the older part", async () => {
  const tree = talk(4);
  const { asked, streamFn } = answering(assistant("# Summary"));
  const settings = { keepRecentTokens: 2000 };
  const made = await session.compact(tree, { model, streamFn, settings, customInstructions: "the numbers" });
  assert.equal(made.summary, "# Summary");
  assert.equal(made.tokensBefore, 8000);
  assert.deepEqual(roles(tree), ["compactionSummary", "user", "assistant"]);
  assert.equal(tree.getEntries().length, 9, "nothing is removed");
  const [{ context, options }] = asked;
  assert.equal(context.messages.length, 1);
  assert.match(context.messages[0].content, /Additional focus: the numbers$/);
  assert.equal(options.cacheRetention, "none");
  assert.ok(tree.contextSize().tokens < 2100);
  const again = await session.compact(tree, { model, streamFn, settings });
  assert.equal(again, undefined, "twice in a row");
});

test("a summary that is none is refused, and nothing is stored", async () => {
  const call = { type: "toolCall", id: "c", name: "read", arguments: {} };
  const cases = [
    [assistant("half", { stopReason: "length" }), "protocol"],
    [assistant(" "), "protocol"],
    [assistant("x", { content: [call], stopReason: "toolUse" }), "protocol"],
    [assistant("", { stopReason: "aborted" }), "aborted"],
    [assistant("", { stopReason: "error", errorMessage: "boom", diagnostics: [{ code: "auth" }] }), "auth"],
  ];
  for (const [reply, code] of cases) {
    const tree = talk(4);
    const { streamFn } = answering(reply);
    const before = tree.export();
    await assert.rejects(
      session.compact(tree, { model, streamFn, settings: { keepRecentTokens: 2000 } }),
      (error) => error.code === code,
    );
    assert.equal(tree.export(), before);
  }
  const tree = talk(4);
  const { streamFn } = answering(assistant("late"));
  const moving = (...args) => {
    tree.appendMessage(user("meanwhile"));
    return streamFn(...args);
  };
  const settings = { keepRecentTokens: 2000 };
  await assert.rejects(session.compact(tree, { model, streamFn: moving, settings }), { code: "busy" });
  assert.equal(roles(tree).length, 9);
  const options = { model, streamFn, settings: { keepRecentTokens: -1 } };
  await assert.rejects(session.compact(tree, options), { code: "invalid_request" });
});

test("a branch that is left is summarised", async () => {
  const tree = talk(2);
  const [, , question] = tree.getEntries();
  const { entries, commonAncestorId } = session.collectEntriesForBranchSummary(
    tree,
    tree.getLeafId(),
    question.parentId,
  );
  assert.deepEqual([entries.length, commonAncestorId], [2, question.parentId]);
  const part = session.prepareBranchEntries(tree, entries, 0);
  const { streamFn } = answering(assistant("Tried it."));
  const { summary } = await session.summarizeBranch(part, { model, streamFn });
  assert.match(summary, /Tried it\.$/);
  tree.branchWithSummary(question.parentId, summary);
  assert.deepEqual(roles(tree), ["user", "assistant", "branchSummary"]);
  const nothing = await session.summarizeBranch({ ...part, messages: [] }, { model, streamFn });
  assert.equal(nothing.usage.totalTokens, 0, "no request");
});

test("ten thousand entries are no matter", () => {
  const lines = ['{"type":"session","version":3,"id":"s"}'];
  for (let at = 0; at < 10_000; at++)
    lines.push(
      JSON.stringify({
        type: "message",
        id: `e${at}`,
        parentId: at ? `e${at - 1}` : null,
        message: user(`${at}`),
      }),
    );
  const tree = SessionTree.import(`${lines.join("\n")}\n`);
  assert.equal(tree.buildSessionContext().messages.length, 10_000);
  assert.equal(tree.getBranch().length, 10_000);
});
