// Approvals: no answer in time, an abort, and runs that fail while a call waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runAgentLoop } from "steersman";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";
import { never, last, results, amount, shop, payment, tools } from "./shop.mjs";
import { deferred, fakeTime, settled } from "./time.mjs";

test("an abort means no, and nothing is left to answer", async () => {
  const { agent, ran, requests, events } = shop(payment);
  const run = agent.prompt("a");
  await settled();
  agent.abort();
  assert.equal(agent.approve(requests[0].id), false);
  assert.deepEqual(agent.pendingApprovals, []);
  await run;
  assert.deepEqual(ran, []);
  assert.equal(textOf(results(agent)[0]), "Operation aborted");
  assert.deepEqual(tools(events), ["execution_start k1", "approval_request k1", "execution_end k1"]);
  assert.equal(last(agent).stopReason, "aborted");
});

test("an abort during the check means no, and nobody is asked", async () => {
  const check = deferred();
  const { agent, ran, requests } = shop(payment, { approval: () => check.promise });
  const run = agent.prompt("a");
  await settled();
  agent.abort();
  check.resolve(true);
  await run;
  assert.deepEqual([ran, requests], [[], []]);
});

test("approvalMs: no decision in time means no, and a late yes does nothing", async (t) => {
  const time = fakeTime(t);
  const { agent, ran, requests } = shop(payment, { limits: { approvalMs: 200 } });
  const run = agent.prompt("a");
  await time.pass(199);
  assert.equal(agent.pendingApprovals.length, 1);
  await time.pass(1);
  assert.equal(agent.approve(requests[0].id), false);
  await run;
  assert.deepEqual(ran, []);
  const [result] = results(agent);
  assert.match(textOf(result), /was not approved: no decision within 200 ms \(limits\.approvalMs\)/);
  assert.deepEqual(result.details, { approval: "timed_out" });
  assert.equal(last(agent).stopReason, "stop");
});

test("approvalMs also holds for checks and for beforeToolCall; what throws, rejects or never settles runs nothing", async (t) => {
  const time = fakeTime(t);
  const unsettled = shop(payment, { limits: { approvalMs: 200 }, approval: never });
  const first = unsettled.agent.prompt("a");
  await time.pass(200);
  await first;
  assert.deepEqual([unsettled.ran, unsettled.requests], [[], []]);

  const hooks = {
    k1: () => {
      throw new Error("throws");
    },
    k2: () => Promise.reject(new Error("rejects")),
    k3: never,
  };
  const answers = [...Object.keys(hooks).map((id) => [call(id, "look")]), "end"];
  const { agent, ran } = shop(answers, {
    limits: { approvalMs: 200 },
    beforeToolCall: ({ toolCall }) => hooks[toolCall.id](),
  });
  const second = agent.prompt("a");
  await time.pass(200);
  await second;
  assert.deepEqual(ran, []);
  assert.deepEqual(
    results(agent).map(({ isError }) => isError),
    [true, true, true],
  );
  assert.match(textOf(results(agent)[2]), /no decision within 200 ms/);
});

test("toolMs does not count the time of the decision, and a call that waits takes no place", async (t) => {
  const time = fakeTime(t);
  const answers = [[call("k1", "pay", { amount: 5 }), call("k2", "look"), call("k3", "look")], "end"];
  const { agent, ran, requests } = shop(answers, { limits: { toolMs: 100 }, toolConcurrency: 1 });
  const run = agent.prompt("a");
  await time.pass(10_000);
  assert.equal(ran.length, 2);
  agent.approve(requests[0].id);
  await run;
  assert.equal(ran.length, 3);
});

test("a listener may wait for the user itself, and does not hold up the run after the time for it", async (t) => {
  const time = fakeTime(t);
  const dialog = deferred();
  const waiting = shop(payment, {
    onRequest: async ({ id }, agent) => agent.approve(id, await dialog.promise),
  });
  const run = waiting.agent.prompt("a");
  await settled();
  dialog.resolve({ amount: 2 });
  await run;
  assert.deepEqual(waiting.ran, [["pay", "k1", { amount: 2 }]]);

  const ignored = shop(payment, { limits: { approvalMs: 200 }, onRequest: never });
  const second = ignored.agent.prompt("a");
  await time.pass(200);
  await second;
  assert.equal(last(ignored.agent).stopReason, "stop");
});

test("a listener that throws ends the run; one that throws after the answer is told to onError", async () => {
  for (const fails of [
    () => {
      throw new Error("no window");
    },
    () => Promise.reject(new Error("no window")),
  ]) {
    const { agent, ran, events } = shop(payment, { onRequest: fails });
    await agent.prompt("a");
    assert.deepEqual([ran, agent.pendingApprovals], [[], []]);
    assert.equal(agent.state.errorMessage, "no window");
    assert.deepEqual(events.slice(-2), ["turn_end", "agent_end"]);
  }
  const errors = [];
  const { agent, ran } = shop(payment, {
    onError: (error) => errors.push(error.message),
    onRequest: async ({ id }, agent) => {
      agent.approve(id);
      throw new Error("too late");
    },
  });
  await agent.prompt("a");
  assert.equal(ran.length, 1);
  assert.deepEqual(errors, ["too late"]);
  assert.equal(last(agent).stopReason, "stop");
});

test("when the run fails, what waits is refused and never runs", async () => {
  const answers = [[call("k1", "pay", { amount: 5 }), call("k2", "look")], "end"];
  const { agent, ran, requests } = shop(answers);
  agent.subscribe((event) => {
    if (event.type === "tool_execution_end") throw new Error("no disk");
  });
  await agent.prompt("a");
  assert.deepEqual(agent.pendingApprovals, []);
  assert.equal(agent.approve(requests[0].id), false);
  await settled();
  assert.deepEqual(
    ran.map(([name]) => name),
    ["look"],
  );
});

test("a yes after the end of a failed run starts nothing", async () => {
  const answer = deferred();
  const ran = [];
  const pay = toolOf("pay", () => void ran.push("pay"), { parameters: amount, approval: true });
  const config = { model, convertToLlm: (messages) => messages, approveToolCall: () => answer.promise };
  const answers = scripted([[call("k1", "pay", { amount: 5 }), call("k2", "look")], "end"]);
  const fails = (event) => {
    if (event.type === "tool_execution_end") throw new Error("no disk");
  };
  const context = { messages: [], tools: [pay, toolOf("look")] };
  await assert.rejects(runAgentLoop([user("a")], context, config, fails, undefined, answers), /no disk/);
  answer.resolve(true);
  await settled();
  assert.deepEqual(ran, []);
});
