// A stored session is played back as the events that told of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import { assistant, call, result, sample, user } from "../export/sample.mjs";
import { hostileFile, payloads } from "../export/hostile.mjs";
import { model, scripted, toolOf } from "../shell/scripted.mjs";

const { MemoryStore, replay, Session, SessionTree } = session;

/** What counts of an event: kind, message, and for updates their step. Deltas may be cut in other places. */
function outline(event) {
  if (event.type === "message_update") {
    const { type, contentIndex } = event.assistantMessageEvent;
    return type.endsWith("_delta") ? undefined : [type, contentIndex];
  }
  const { type, message, messages, toolResults, toolCallId, toolName, args, result, isError } = event;
  // What an answer looks like before its first word is a matter of the provider.
  const begins = type === "message_start" && message.role === "assistant";
  return [
    type,
    begins ? "assistant" : message,
    messages,
    toolResults,
    toolCallId,
    toolName,
    args,
    result,
    isError,
  ];
}

async function played(tree, options) {
  const events = [];
  const stream = replay(tree, options);
  for await (const event of stream) events.push(event);
  return { events, messages: await stream.result() };
}

/** A stream function whose answers arrive with all their steps. */
function stepwise(answers) {
  const inner = scripted(answers);
  return (...args) => {
    const stream = inner(...args);
    return {
      result: stream.result,
      async *[Symbol.asyncIterator]() {
        const final = await stream.result();
        const partial = { ...final, content: [], stopReason: "pending" };
        yield { type: "start", partial };
        for (const [contentIndex, block] of final.content.entries()) {
          const kind = { text: "text", thinking: "thinking", toolCall: "toolcall" }[block.type];
          partial.content = [...partial.content, block];
          yield { type: `${kind}_start`, contentIndex, partial };
          const said = block.text ?? block.thinking ?? JSON.stringify(block.arguments);
          for (const delta of said.match(/.{1,5}/gs) ?? [])
            yield { type: `${kind}_delta`, contentIndex, delta, partial };
          yield { type: `${kind}_end`, contentIndex, content: said, toolCall: block, partial };
        }
        const failed = final.stopReason === "error" || final.stopReason === "aborted";
        yield failed
          ? { type: "error", reason: final.stopReason, error: final }
          : { type: "done", reason: final.stopReason, message: final };
      },
    };
  };
}

for (const toolExecution of ["parallel", "sequential"])
  test(`the events of an agent and those of its session are the same, tools ${toolExecution}`, async () => {
    const thought = { type: "thinking", thinking: "Two things to look at." };
    const text = { type: "text", text: "I look." };
    const steered = [];
    const agent = new Agent({
      initialState: {
        ...{ model, systemPrompt: "Be short." },
        tools: [
          toolOf("look", async () => {
            // While it runs, the user says something.
            for (const words of steered.splice(0)) agent.steer(user(words));
            return "seen";
          }),
          toolOf("fail", () => Promise.reject(new Error("no"))),
        ],
      },
      ...{ toolExecution, steeringMode: "all" },
      streamFn: stepwise([
        [thought, text, call("1", "look", { where: "left" }), call("2", "fail", {})],
        "done",
        [call("3", "look", {})],
        [call("4", "look", {})],
        "steered",
        "bye",
      ]),
    });
    const events = [];
    agent.subscribe((event) => {
      events.push(structuredClone(event));
    });
    const kept = new Session({ agent, store: new MemoryStore() });
    await kept.ready;
    await agent.prompt("first");
    steered.push("also this");
    await agent.prompt([user("second"), user("and third")]);
    await agent.prompt("last");
    const again = await played(kept.tree, { toolExecution });
    assert.deepEqual(again.events.map(outline).filter(Boolean), events.map(outline).filter(Boolean));
    assert.deepEqual(again.messages, agent.state.messages.slice(1));
    const said = (list) => list.map(({ assistantMessageEvent: step }) => step?.delta ?? "").join("");
    assert.equal(said(again.events), said(events));
  });

test("an answer grows as it grew, and ends as it was", async () => {
  const tree = SessionTree.create();
  const answer = assistant([
    { type: "text", text: "smile \u{1f600}\u{1f600} now" },
    call("1", "look", { a: 1 }),
  ]);
  tree.appendMessage(user("x"));
  tree.appendMessage(answer);
  const { events } = await played(tree, { speed: 100_000 });
  assert.equal(events.at(-1).type, "agent_end");
  // One letter at a time: no letter is cut in two.
  const { events: slow } = await played(tree, { speed: 1000 });
  const texts = slow
    .filter(({ assistantMessageEvent: step }) => step?.type === "text_delta")
    .map(({ message, assistantMessageEvent: { delta } }) => [message.content[0].text, delta]);
  assert.ok(texts.length > 0);
  let whole = "";
  for (const [text, delta] of texts) {
    whole += delta;
    assert.equal(text, whole);
    assert.ok(text.isWellFormed());
  }
  const end = slow.find(({ type, message }) => type === "message_end" && message.role === "assistant");
  assert.deepEqual(end.message, answer);
});

test("a part of a branch, and another branch than that of the leaf", async () => {
  const tree = sample();
  const said = async (options) => (await played(tree, options)).messages.map(({ role }) => role).join(" ");
  const entries = tree.getEntries();
  const dinghy = entries.find(
    ({ message }) =>
      message?.content === "The dinghy can enter at any time." ||
      message?.content?.[0]?.text?.startsWith("The dinghy"),
  );
  const asked = entries.find(({ message }) => message?.content === "And with the dinghy?");
  assert.equal(await said({ from: asked.id, to: dinghy.id }), "user assistant");
  assert.equal(
    await said({ to: asked.id }),
    "system user assistant toolResult toolResult assistant user".slice(7),
  );
  assert.throws(() => replay(tree, { from: dinghy.id }), { code: "not_on_branch" });
  assert.throws(() => replay(tree, { to: "nobody" }), { code: "unknown_entry" });
});

test("a signal ends it", async () => {
  const tree = SessionTree.create();
  tree.appendMessage(user("x"));
  tree.appendMessage(assistant("word ".repeat(1000)));
  const control = new AbortController();
  const stream = replay(tree, { speed: 20, signal: control.signal });
  const seen = [];
  for await (const event of stream) {
    seen.push(event.type);
    if (event.assistantMessageEvent?.type === "text_delta") control.abort();
  }
  assert.equal(seen.at(-1), "message_update");
  assert.equal((await stream.result()).length, 1);
});

test("calls without results, results without calls, and an empty session", async () => {
  const tree = SessionTree.create();
  assert.deepEqual(await played(tree), { events: [], messages: [] });
  tree.appendMessage(result("9", "look", "lost"));
  tree.appendMessage(user("x"));
  tree.appendMessage(assistant([call("1", "look", {})], { stopReason: "aborted", errorMessage: "stopped" }));
  const { events } = await played(tree);
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => !type.includes("update")),
    "agent_start turn_start message_start message_end message_start message_end message_start message_end turn_end agent_end".split(
      " ",
    ),
  );
});

test("whatever a file says is played, or the stream says that it cannot be", async () => {
  const tree = SessionTree.import(hostileFile(payloads.slice(0, 3)));
  const stream = replay(tree);
  await stream.result().catch(() => {});
  for await (const event of replay(SessionTree.import(hostileFile(["x"])), {})) assert.ok(event.type);
});
