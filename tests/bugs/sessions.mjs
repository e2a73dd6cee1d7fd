// Plays cases about sessions and compaction.
import assert from "node:assert/strict";
import * as session from "steersman/session";
import { chatModel, provider, sse, streamed } from "../hostile/provider.mjs";
import { model, textOf, usageOf } from "../shell/scripted.mjs";
import { judge, Keys } from "./keys.mjs";

const { MemoryStore, prepareCompaction, Session, SessionTree, shouldCompact, treeWrites } = session;
const words = (tokens) => "word".repeat(tokens);
const answer = (content, more = {}) => ({
  ...{ role: "assistant", api: "scripted", provider: "scripted", model: "m", content },
  ...{ stopReason: "stop", usage: usageOf(0, 0), timestamp: 2, ...more },
});

/** `session-load`: a stored text is opened, and goes on. */
export async function playLoad(_host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const tree = SessionTree.import(keys.get("records_text"));
  keys.done();
  const messages = tree.getEntries().filter(({ type }) => type === "message");
  await judge(expected, {
    messages: (want) => assert.equal(messages.length, want),
    warning: (want) =>
      assert.ok(
        tree.reports.some(({ code }) => code === want),
        JSON.stringify(tree.reports),
      ),
    append_after_ok: (want) => {
      const id = tree.appendMessage({ role: "user", content: "b", timestamp: 1 });
      const again = SessionTree.import(tree.export());
      assert.equal(again.getLeafId() === id && again.reports.length === 0, want);
      assert.equal(again.buildSessionContext().messages.length, messages.length + 1);
    },
  });
}

/** An agent that goes on from a tree, and what it asked. */
async function goingOn(host, tree, answers, options = {}) {
  const requests = [];
  const flight = { now: 0, most: 0 };
  const streamFn = async (_model, context) => {
    requests.push(context);
    flight.most = Math.max(flight.most, ++flight.now);
    await new Promise((resolve) => setImmediate(resolve));
    flight.now--;
    const message = answers[requests.length - 1] ?? answer([{ type: "text", text: "end" }]);
    const events = [
      { type: "start", partial: { ...message, stopReason: "pending" } },
      { type: "done", reason: message.stopReason, message },
    ];
    return {
      async *[Symbol.asyncIterator]() {
        yield* events;
      },
      result: async () => message,
    };
  };
  const store = new MemoryStore({ id: tree.getSessionId() });
  await store.commit(treeWrites(tree));
  const agent = new host.steersman.Agent({ streamFn, initialState: { model: options.model ?? model } });
  const live = await Session.open({ agent, store, compaction: options.compaction ?? {} });
  return { agent, live, requests, flight };
}

/** `context-build`: stored entries, and the request that is made of them. */
export async function playContext(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  let parentId = null;
  const entries = keys.get("entries").map(({ id, type, summary, firstKept, ...message }) => {
    const base = { id, parentId, timestamp: "2026-01-01T00:00:00.000Z" };
    parentId = id;
    return type === "compaction"
      ? { ...base, type, summary, firstKeptEntryId: firstKept, tokensBefore: 1 }
      : { ...base, type: "message", message: { ...answer([]), ...message } };
  });
  keys.done();
  const tree = SessionTree.from(SessionTree.create().getHeader(), entries);
  const { agent, requests } = await goingOn(host, tree, []);
  await agent.continue();
  const messages = requests[0].messages.filter(({ role }) => role !== "system");
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" ? content.filter(({ type }) => type === "toolCall").map(({ id }) => id) : [],
  );
  const results = messages.filter(({ role }) => role === "toolResult").map(({ toolCallId }) => toolCallId);
  await judge(expected, {
    orphan_results: (want) => assert.equal(results.filter((id) => !calls.includes(id)).length, want),
    dangling_calls: (want) => assert.equal(calls.filter((id) => !results.includes(id)).length, want),
    first_message_is_summary: (want) => {
      assert.equal(messages[0].role, "user");
      assert.match(textOf(messages[0]), new RegExp(`<summary>\\s*${want}\\s*</summary>`));
    },
    last_user: (want) => assert.equal(textOf(messages.findLast(({ role }) => role === "user")), want),
  });
}

/** `compaction-plan`: where a conversation of messages of these sizes is cut. */
export async function playPlan(_host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const keepRecentTokens = keys.get("keep_recent_tokens");
  const tree = SessionTree.create();
  let calls = [];
  const ids = keys.get("entries_tokens").map(([kind, tokens]) => {
    const [role, more] = kind.split("+");
    if (role === "user") return tree.appendMessage({ role, content: words(tokens), timestamp: 1 });
    if (role === "toolResult") {
      const result = { role, toolCallId: calls.shift(), toolName: "t", isError: false, timestamp: 3 };
      return tree.appendMessage({ ...result, content: [{ type: "text", text: words(tokens) }] });
    }
    const count = Number.parseInt(more ?? "0", 10);
    calls = Array.from({ length: count }, (_, at) => `k${at}`);
    const blocks = calls.map((id) => ({ type: "toolCall", id, name: "t", arguments: {} }));
    const text = { type: "text", text: words(tokens - count) };
    return tree.appendMessage(answer([text, ...blocks], count > 0 ? { stopReason: "toolUse" } : {}));
  });
  keys.done();
  const ready = prepareCompaction(tree, { keepRecentTokens });
  assert.ok(ready, "something is compacted");
  const kept = ids.indexOf(ready.firstKeptEntryId);
  const kinds = tree.getEntries().map(({ message }) => message.role);
  await judge(expected, {
    cut_index: (want) => assert.equal(kept, want),
    messages_to_summarise: (want) =>
      assert.equal(ready.messagesToSummarize.length + ready.turnPrefixMessages.length, want),
    pairs_split: (want) => assert.equal(kinds[kept] === "toolResult" ? 1 : 0, want),
  });
}

/** `context-estimate`: how large a context is held to be after a compaction. */
export async function playEstimate(_host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const window = keys.get("window");
  const [summary, kept, ...rest] = keys.get("messages");
  keys.done();
  assert.deepEqual([summary.role, kept.before_compaction], ["summary", true]);
  const tree = SessionTree.create();
  tree.appendMessage({ role: "user", content: words(1000), timestamp: 1 });
  const { before_compaction: _, ...message } = kept;
  const first = tree.appendMessage(
    answer([], { ...message, usage: usageOf(kept.usage.input, kept.usage.output) }),
  );
  tree.appendCompaction(words(summary.tokens), first, kept.usage.input);
  for (const one of rest) tree.appendMessage({ timestamp: 3, ...one });
  const { tokens } = tree.contextSize();
  await judge(expected, {
    estimate_max: (want) => assert.ok(tokens >= summary.tokens && tokens <= want, `${tokens}`),
    compact_again: (want) => assert.equal(shouldCompact(tokens, window), want),
  });
}

/** `error-classify`: the code of what a provider answers. */
export async function playClassify(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  const cases = keys.get("cases");
  keys.done();
  const codes = [];
  for (const [status, text] of cases) {
    const reason = text.match(/^finish_reason:(.+)$/)?.[1];
    const chunk = { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
    const body = reason ? sse([chunk]) : JSON.stringify({ error: { message: text } });
    const headers = reason ? {} : { "content-type": "application/json" };
    const fetch = provider([() => streamed([body], { status, headers })]);
    const agent = new host.steersman.Agent({
      streamFn: (asked, context, options) =>
        host.steersman.streamSimple(asked, context, { ...options, apiKey: "key", fetch }),
      initialState: { model: chatModel },
    });
    await agent.prompt("a");
    codes.push(agent.state.messages.at(-1).diagnostics?.[0].code);
  }
  await judge(expected, { classes: (want) => assert.deepEqual(codes, want) });
}

/** `loop` with `force_split_turn_compaction`: summaries of a history and of the beginning of a turn, then the answer. */
export async function playSplitTurn(host, input, expected) {
  const keys = new Keys(input, "input");
  keys.get("kind");
  assert.deepEqual(keys.get("tools"), []);
  keys.get("options");
  assert.deepEqual(keys.get("provider"), { max_concurrent: 1 });
  const answers = keys
    .get("turns")
    .map(({ summary, ...message }) => answer([{ type: "text", text: summary }], summary ? {} : message));
  keys.done();
  const tree = SessionTree.create();
  for (let turn = 0; turn < 2; turn++) {
    tree.appendMessage({ role: "user", content: words(400), timestamp: 1 });
    tree.appendMessage(answer([{ type: "text", text: words(600) }]));
  }
  const { agent, requests, flight } = await goingOn(host, tree, answers, {
    model: { ...model, contextWindow: 2000, maxTokens: 100 },
    compaction: { reserveTokens: 500, keepRecentTokens: 500 },
  });
  await agent.prompt("a");
  assert.equal(requests.length, answers.length);
  await judge(expected, {
    max_in_flight: (want) => assert.equal(flight.most, want),
    run_ends: (want) => assert.equal(agent.state.messages.at(-1).stopReason, want),
  });
}
