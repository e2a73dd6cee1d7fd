// Approvals: a tool with `approval` runs only after a clear yes for exactly this call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentLoop, runAgentLoop, runToolCall } from "steersman";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";
import { deferred, fakeTime, recorder, settled } from "./time.mjs";

const never = () => new Promise(() => {});
const last = (agent) => agent.state.messages.at(-1);
const results = (agent) => agent.state.messages.filter((message) => message.role === "toolResult");
const amount = { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] };

/**
 * An agent whose tool `pay` asks, and whose tool `look` does not.
 *
 * @returns `ran`: what the tools were started with; `requests`: what was asked
 */
function shop(answers, { approval = true, onRequest = () => {}, tools = [], ...options } = {}) {
  const ran = [];
  const requests = [];
  const run = (name) => (id, args, _signal, _onUpdate, exact) => {
    ran.push([name, id, args, ...(exact ? [exact.argumentsText] : [])]);
    return `${name} ${JSON.stringify(args)}`;
  };
  const pay = toolOf("pay", run("pay"), { label: "Pay", parameters: amount, approval });
  const streamFn = scripted(answers);
  const agent = new Agent({
    initialState: { model, tools: [pay, toolOf("look", run("look")), ...tools] },
    ...{ streamFn, ...options },
  });
  const { events, listener } = recorder();
  agent.subscribe(listener);
  agent.subscribe((event) => {
    if (event.type !== "tool_approval_request") return undefined;
    requests.push(event);
    return onRequest(event, agent);
  });
  return { agent, streamFn, events, ran, requests };
}

const payment = [[call("k1", "pay", { amount: 5 })], "end"];
const tools = (events) => events.filter((event) => /^(execution|approval)/.test(event));

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

test("arguments that somebody changes while the call waits cannot be approved any more", async () => {
  let live;
  const { agent, ran, requests } = shop(payment, { beforeToolCall: ({ args }) => void (live = args) });
  const run = agent.prompt("a");
  await settled();
  // The copy is for showing: changing it changes nothing.
  requests[0].args.amount = 1;
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

test("calls beyond maxToolCalls are not asked about", async () => {
  const answers = [[call("k1", "look"), call("k2", "pay", { amount: 5 })], "end"];
  const { agent, requests } = shop(answers, { limits: { maxToolCalls: 1 } });
  await agent.prompt("a");
  assert.deepEqual(requests, []);
  assert.equal(last(agent).diagnostics[0].code, "limit_tool_calls");
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

// --- Runs without an agent

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
