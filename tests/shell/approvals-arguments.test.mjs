// Approvals: what is shown, what is checked, and what runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, textOf, toolOf } from "./scripted.mjs";
import { amount, last, results, shop, payment } from "./shop.mjs";
import { deferred, settled } from "./time.mjs";

test("a check decides by the validated arguments whether to ask; only false lets a call pass unasked", async () => {
  const cases = [
    [({ amount }) => amount > 3, true],
    [async ({ amount }) => amount > 7, false],
    [() => undefined, true],
    [() => 0, true],
    [false, false],
    [undefined, false],
  ];
  for (const [approval, asks] of cases) {
    const { agent, requests, ran } = shop([[call("k1", "pay", { amount: "5" })], "end"], {
      approval,
      onRequest: ({ id }, agent) => agent.approve(id),
    });
    // The option bag of a test cannot say "no value".
    if (approval === undefined) agent.state.tools[0].approval = undefined;
    await agent.prompt("a");
    assert.equal(requests.length, asks ? 1 : 0);
    assert.deepEqual(ran, [["pay", "k1", { amount: 5 }]]);
  }
});

test("a check that throws or rejects, and one that cannot be read, mean no", async () => {
  const broken = [
    () => {
      throw new Error("no rights");
    },
    () => Promise.reject(new Error("no rights")),
    () => ({
      get then() {
        throw new Error("no rights");
      },
    }),
  ];
  for (const approval of broken) {
    const { agent, ran, requests } = shop(payment, { approval });
    await agent.prompt("a");
    assert.deepEqual([ran, requests], [[], []]);
    assert.match(textOf(results(agent)[0]), /was not approved: the check failed: no rights/);
  }
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const hostile = shop(payment, {
    approval: () => {
      throw proxy;
    },
  });
  await hostile.agent.prompt("a");
  assert.deepEqual(hostile.ran, []);
  assert.equal(last(hostile.agent).stopReason, "stop");
  const { agent, ran } = shop(payment);
  Object.defineProperty(agent.state.tools[0], "approval", {
    get() {
      throw new Error("no rights");
    },
  });
  await agent.prompt("a");
  assert.deepEqual(ran, []);
  assert.equal(textOf(results(agent)[0]), "no rights");
});

test("approve() can replace the arguments; they are validated like those of the model", async () => {
  const given = { amount: "3" };
  const after = [];
  const { agent, ran } = shop(payment, {
    afterToolCall: ({ args }) => void after.push(args),
    onRequest: ({ id }, agent) => {
      assert.equal(agent.approve(id, { amount: "many" }), false);
      assert.equal(agent.approve(id, {}), false);
      assert.equal(agent.pendingApprovals.length, 1);
      assert.equal(agent.approve(id, given), true);
      given.amount = "1000";
    },
  });
  await agent.prompt("a");
  assert.deepEqual(ran, [["pay", "k1", { amount: 3 }]]);
  assert.deepEqual(after, [{ amount: 3 }]);
  // The transcript says what the model asked for.
  assert.deepEqual(agent.state.messages.find(({ role }) => role === "assistant").content[0].arguments, {
    amount: 5,
  });
});

test("what a request shows is a copy: changing it changes nothing", async () => {
  const { agent, ran } = shop(payment, {
    onRequest: (request, agent) => {
      request.args.amount = 1;
      assert.equal(agent.approve(request.id), true);
    },
  });
  await agent.prompt("a");
  assert.deepEqual(ran, [["pay", "k1", { amount: 5 }]]);
});

test("arguments that somebody changes while the call waits cannot be approved any more", async () => {
  let live;
  const { agent, ran, requests } = shop(payment, { beforeToolCall: ({ args }) => void (live = args) });
  const run = agent.prompt("a");
  await settled();
  live.amount = 1_000_000;
  assert.equal(agent.approve(requests[0].id), false);
  assert.equal(agent.deny(requests[0].id), true);
  await run;
  assert.deepEqual(ran, []);
});

test("arguments that are changed between the yes and the start do not run", async () => {
  let live;
  const work = deferred();
  const answers = [[call("k1", "busy"), call("k2", "pay", { amount: 5 })], "end"];
  const { agent, ran } = shop(answers, {
    tools: [toolOf("busy", () => work.promise)],
    toolConcurrency: 1,
    beforeToolCall: ({ args }) => void (live = args),
    onRequest: ({ id }, agent) => agent.approve(id),
  });
  const run = agent.prompt("a");
  await settled();
  live.amount = 1_000_000;
  work.resolve();
  await run;
  assert.deepEqual(ran, []);
  assert.match(textOf(results(agent)[1]), /its arguments were changed after the approval/);
});

test("what stands in their place and is changed after the yes does not run either", async () => {
  let live;
  const validate = (value) => {
    live = value;
    return { value };
  };
  const work = deferred();
  const answers = [[call("k1", "busy"), call("k2", "pay", { amount: 5 })], "end"];
  const { agent, ran } = shop(answers, {
    tools: [toolOf("busy", () => work.promise)],
    toolConcurrency: 1,
    onRequest: ({ id }, agent) => agent.approve(id, { amount: 1 }),
  });
  agent.state.tools[0].parameters = {
    "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input: () => amount } },
  };
  const run = agent.prompt("a");
  await settled();
  live.amount = 1_000_000;
  work.resolve();
  await run;
  assert.deepEqual(ran, []);
  assert.match(textOf(results(agent)[1]), /its arguments were changed after the approval/);
});

test("what beforeToolCall leaves is what is shown and what runs; what it blocks is not asked about", async () => {
  const answers = [[call("k1", "pay", { amount: 5 }), call("k2", "pay", { amount: 6 })], "end"];
  const { agent, ran, requests } = shop(answers, {
    beforeToolCall: ({ toolCall, args }) => {
      if (toolCall.id === "k2") return { block: true };
      args.amount = 4;
      return undefined;
    },
    onRequest: ({ id }, agent) => agent.approve(id),
  });
  await agent.prompt("a");
  assert.deepEqual(
    requests.map(({ args }) => args),
    [{ amount: 4 }],
  );
  assert.deepEqual(ran, [["pay", "k1", { amount: 4 }]]);
});

test("exact digits are shown and reach the tool, unless the arguments are replaced", async () => {
  const exact = {
    ...call("k1", "pay", { amount: 2 ** 60 }),
    argumentsText: '{"amount":1152921504606846977}',
  };
  for (const replace of [false, true]) {
    const { agent, ran, requests } = shop([[exact], "end"], {
      onRequest: ({ id }, agent) => (replace ? agent.approve(id, { amount: 1 }) : agent.approve(id)),
    });
    await agent.prompt("a");
    assert.equal(requests[0].argumentsText, exact.argumentsText);
    assert.deepEqual(ran[0].slice(3), replace ? [] : [exact.argumentsText]);
  }
});

test("arguments that cannot be shown as a whole are refused", async () => {
  const circular = {
    "~standard": {
      ...{ version: 1, vendor: "example" },
      validate: (value) => ({ value: Object.assign(value, { self: value }) }),
      jsonSchema: { input: () => ({ type: "object" }) },
    },
  };
  const ran = [];
  const tool = toolOf("c", () => ran.push("c"), { approval: true, parameters: circular });
  const { agent, requests } = shop([[call("k1", "c")], "end"], { tools: [tool] });
  await agent.prompt("a");
  assert.deepEqual([ran, requests], [[], []]);
  assert.match(textOf(results(agent)[0]), /its arguments cannot be shown/);
});
