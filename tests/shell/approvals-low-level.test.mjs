// Approvals in runs without an agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentLoop, runToolCall } from "steersman";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";
import { never, amount, payment } from "./shop.mjs";
import { settled } from "./time.mjs";

async function lowLevel(more, signal) {
  const ran = [];
  const pay = toolOf("pay", (_id, args) => void ran.push(args), { parameters: amount, approval: true });
  const config = { model, convertToLlm: (messages) => messages, ...more };
  const context = { messages: [], tools: [pay] };
  const added = await agentLoop([user("a")], context, config, signal, scripted(payment)).result();
  return { ran, result: added.find(({ role }) => role === "toolResult"), added };
}

test("without anybody to ask a call is refused, and the text says why", async () => {
  const { ran, result } = await lowLevel({});
  assert.deepEqual(ran, []);
  assert.match(textOf(result), /there is nobody to ask \(approveToolCall is not set\)/);
  assert.deepEqual(result.details, { approval: "unavailable" });
});

test("approveToolCall decides; anything but a clear yes is a no", async () => {
  const asked = [];
  const yes = [true, { approved: true }];
  const no = [false, undefined, 1, "yes", { approved: 1 }, { approved: false, reason: "no money" }, {}];
  for (const answer of [...yes, ...no]) {
    const { ran } = await lowLevel({
      approveToolCall: async (request, signal) => {
        asked.push([request.toolCallId, request.toolName, request.args, signal.aborted]);
        return answer;
      },
    });
    assert.equal(ran.length, yes.includes(answer) ? 1 : 0);
  }
  assert.deepEqual(asked[0], ["k1", "pay", { amount: 5 }, false]);
  const replaced = await lowLevel({ approveToolCall: () => ({ approved: true, args: { amount: "7" } }) });
  assert.deepEqual(replaced.ran, [{ amount: 7 }]);
  const invalid = await lowLevel({ approveToolCall: () => ({ approved: true, args: {} }) });
  assert.deepEqual(invalid.ran, []);
  assert.match(textOf(invalid.result), /Validation failed for tool "pay"/);
  const thrown = await lowLevel({
    approveToolCall: () => {
      throw new Error("no window");
    },
  });
  assert.deepEqual(thrown.ran, []);
  assert.match(textOf(thrown.result), /the decision failed: no window/);
});

test("the signal of approveToolCall tells that the answer no longer matters", async () => {
  const controller = new AbortController();
  let seen;
  const run = lowLevel(
    {
      approveToolCall: (_request, signal) => {
        seen = signal;
        return never();
      },
    },
    controller.signal,
  );
  await settled();
  assert.equal(seen.aborted, false);
  controller.abort("closed");
  const { ran, added } = await run;
  assert.deepEqual([seen.aborted, seen.reason, ran], [true, "closed", []]);
  assert.equal(added.at(-1).stopReason, "aborted");
});

test("tools that call tools bring their own decision", async () => {
  const pay = toolOf("pay", () => "paid", { parameters: amount, approval: true });
  const options = {
    tools: [pay],
    assistantMessage: { role: "assistant", content: [] },
    context: { messages: [] },
  };
  const refused = await runToolCall(call("k", "pay", { amount: 1 }), options);
  assert.equal(refused.isError, true);
  const paid = await runToolCall(call("k", "pay", { amount: 1 }), {
    ...options,
    approveToolCall: () => true,
  });
  assert.equal(textOf(paid.result), "paid");
});
