// Approvals: a tool with `approval` runs only after a clear yes for exactly this call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, textOf, user } from "./scripted.mjs";
import { last, results, shop, payment, tools } from "./shop.mjs";
import { settled } from "./time.mjs";

test("a call waits for the yes; its siblings run on", async () => {
  const { agent, events, ran, requests } = shop([
    [call("k1", "pay", { amount: 5 }), call("k2", "look")],
    "end",
  ]);
  const run = agent.prompt("a");
  await settled();
  assert.deepEqual(ran, [["look", "k2", {}]]);
  const [request] = requests;
  assert.deepEqual(request, {
    ...{ type: "tool_approval_request", id: request.id, toolCallId: "k1", toolName: "pay", label: "Pay" },
    args: { amount: 5 },
  });
  assert.deepEqual(structuredClone(request), request);
  assert.deepEqual(agent.pendingApprovals, [request]);
  assert.deepEqual([...agent.state.pendingToolCalls], ["k1"]);
  assert.equal(agent.approve(request.id), true);
  assert.deepEqual(agent.pendingApprovals, []);
  await run;
  assert.deepEqual(ran[1], ["pay", "k1", { amount: 5 }]);
  assert.deepEqual(tools(events), [
    ...["execution_start k1", "execution_start k2", "approval_request k1"],
    ...["execution_end k2", "execution_end k1"],
  ]);
  assert.deepEqual(results(agent).map(textOf), ['pay {"amount":5}', "look {}"]);
});

test("a no is an error result with its reason; no hook sees a result of the tool", async () => {
  const after = [];
  const answers = [[call("k1", "pay", { amount: 5 }), call("k2", "pay", { amount: 6 })], "end"];
  const { agent, ran } = shop(answers, {
    onRequest: ({ id, toolCallId }, agent) =>
      void assert.equal(agent.deny(id, toolCallId === "k1" ? "Too much." : undefined), true),
    afterToolCall: ({ toolCall }) => void after.push(toolCall.id),
  });
  await agent.prompt("a");
  assert.deepEqual([ran, after], [[], []]);
  assert.deepEqual(results(agent).map(textOf), ["Too much.", "The user did not approve this tool call."]);
  for (const result of results(agent)) {
    assert.deepEqual(
      [result.isError, result.details, "durationMs" in result],
      [true, { approval: "denied" }, false],
    );
  }
  assert.equal(last(agent).stopReason, "stop");
});

test("an answer counts once, for its own request, while the call waits", async () => {
  const ids = [];
  const { agent, ran, requests } = shop(
    [...payment, ...payment].filter((a) => a !== "end"),
    {
      onRequest: ({ id }, agent) => {
        ids.push(id);
        assert.equal(agent.approve("another"), false);
        assert.equal(agent.deny(""), false);
        assert.equal(agent.approve(id), true);
        assert.equal(agent.approve(id), false);
        assert.equal(agent.deny(id, "changed my mind"), false);
      },
    },
  );
  await agent.prompt("a");
  assert.equal(ran.length, 2);
  assert.equal(new Set(ids).size, 2);
  for (const { id } of requests) assert.equal(agent.approve(id), false);
});

test("calls beyond maxToolCalls are not asked about", async () => {
  const answers = [[call("k1", "look"), call("k2", "pay", { amount: 5 })], "end"];
  const { agent, requests } = shop(answers, { limits: { maxToolCalls: 1 } });
  await agent.prompt("a");
  assert.deepEqual(requests, []);
  assert.equal(last(agent).diagnostics[0].code, "limit_tool_calls");
});

test("steering at a tool boundary: the call that waits is decided, the rest is skipped", async () => {
  const answers = [[call("k1", "pay", { amount: 5 }), call("k2", "pay", { amount: 6 })], "end"];
  const { agent, ran, requests } = shop(answers, {
    ...{ steering: "tool-boundary", toolExecution: "sequential" },
    onRequest: ({ id }, agent) => {
      agent.steer(user("wait"));
      agent.approve(id);
    },
  });
  await agent.prompt("a");
  assert.deepEqual(ran, [["pay", "k1", { amount: 5 }]]);
  assert.equal(requests.length, 1);
  assert.match(textOf(results(agent)[1]), /skipped/);
});

test("consumers of events() can answer too", async () => {
  const { agent, ran } = shop(payment);
  const answering = (async () => {
    for await (const event of agent.stream("a")) {
      if (event.type === "tool_approval_request") agent.approve(event.id);
    }
  })();
  await answering;
  assert.equal(ran.length, 1);
});
