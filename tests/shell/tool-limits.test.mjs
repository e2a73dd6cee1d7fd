// Bounds of tool calls: time, time after an abort, how many at once, and steering between the calls of a batch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentLoop, runToolCall } from "steersman";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";
import { deferred, fakeTime, recorder, settled } from "./time.mjs";

const never = () => new Promise(() => {});
const last = (agent) => agent.state.messages.at(-1);
const results = (agent) => agent.state.messages.filter((message) => message.role === "toolResult");

function agentWith(answers, tools, more = {}) {
  const streamFn = scripted(answers);
  const agent = new Agent({ initialState: { model, tools }, streamFn, ...more });
  const { events, listener } = recorder();
  agent.subscribe(listener);
  return { agent, streamFn, events };
}

test("toolMs ends a call, aborts its own signal, and the run goes on", async (t) => {
  const time = fakeTime(t);
  const signals = [];
  const late = deferred();
  const after = [];
  let update;
  const slow = toolOf("slow", (_id, _args, signal, onUpdate) => {
    signals.push(signal, agent.signal);
    update = onUpdate;
    return late.promise;
  });
  const { agent, streamFn, events } = agentWith(
    [[call("k1", "slow"), call("k2", "quick")], "end"],
    [slow, toolOf("quick")],
    {
      limits: { toolMs: 100 },
      afterToolCall: ({ toolCall, isError }) => void after.push([toolCall.id, isError]),
    },
  );
  const run = agent.prompt("a");
  await time.pass(99);
  assert.equal(signals[0].aborted, false);
  await time.pass(1);
  update({ content: [], details: {} });
  late.resolve("too late");
  await run;
  const [own, ofRun] = signals;
  assert.deepEqual([own.aborted, ofRun.aborted], [true, false]);
  assert.equal(own.reason.details.code, "tool_timeout");
  const [first, second] = results(agent);
  assert.match(textOf(first), /Tool timed out after 100 ms \(limits\.toolMs\)/);
  assert.deepEqual([first.isError, first.details], [true, { code: "tool_timeout" }]);
  assert.equal(typeof first.durationMs, "number");
  assert.equal(second.isError, false);
  assert.deepEqual(after, [
    ["k2", false],
    ["k1", true],
  ]);
  assert.equal(last(agent).stopReason, "stop");
  assert.equal(streamFn.requests.length, 2);
  assert.ok(!events.some((event) => event.startsWith("execution_update")));
});

test("with toolMs an abort of the run still reaches the tool, with its reason", async () => {
  const tool = toolOf("t", (_id, _args, signal) => {
    agent.abort("stop it");
    return `${signal.aborted} ${signal.reason}`;
  });
  const { agent } = agentWith([[call("k", "t")]], [tool], { limits: { toolMs: 1000 } });
  await agent.prompt("a");
  assert.equal(textOf(results(agent)[0]), "true stop it");
});

test("a tool whose time is over after an abort counts as aborted", async (t) => {
  const { pass } = fakeTime(t);
  const { agent } = agentWith([[call("k", "t")]], [toolOf("t", never)], { limits: { toolMs: 100 } });
  const run = agent.prompt("a");
  await pass(50);
  agent.abort();
  await pass(50);
  await run;
  assert.equal(textOf(results(agent)[0]), "Operation aborted");
  assert.deepEqual(results(agent)[0].details, {});
});

test("without toolMs a tool gets the run's own signal, whatever else is limited", async () => {
  const same = [];
  const tool = toolOf("t", (_id, _args, signal) => void same.push(signal === agent.signal));
  const { agent } = agentWith([[call("k", "t")], "end"], [tool], {
    ...{ toolAbortGraceMs: 10, toolConcurrency: 1, limits: { maxTurns: 9 } },
  });
  await agent.prompt("a");
  assert.deepEqual(same, [true]);
});

test("toolAbortGraceMs: a tool that ignores an abort is left after that time; its calls count as aborted", async (t) => {
  const time = fakeTime(t);
  const late = deferred();
  const { agent, streamFn } = agentWith(
    [[call("k1", "deaf"), call("k2", "hears")], "never"],
    [
      toolOf("deaf", () => late.promise),
      toolOf(
        "hears",
        (_id, _args, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve("cleaned up"))),
      ),
    ],
    { toolAbortGraceMs: 50 },
  );
  let over = false;
  const run = agent.prompt("a").then(() => (over = true));
  await time.pass(10_000);
  agent.abort();
  await time.pass(49);
  assert.equal(over, false);
  await time.pass(1);
  await run;
  assert.deepEqual(results(agent).map(textOf), ["Operation aborted", "cleaned up"]);
  assert.equal(last(agent).stopReason, "aborted");
  const before = agent.state.messages.length;
  late.resolve("too late");
  await settled();
  assert.equal(agent.state.messages.length, before);
  // The transcript can go on: every call has its result.
  await agent.prompt("next");
  assert.equal(streamFn.requests.length, 3);
});

test("toolAbortGraceMs: 0 does not wait at all", async () => {
  const { agent } = agentWith([[call("k1", "t"), call("k2", "t")]], [toolOf("t", never)], {
    toolAbortGraceMs: 0,
  });
  agent.subscribe((event) => {
    if (event.type === "tool_execution_start" && event.toolCallId === "k2") setImmediate(() => agent.abort());
  });
  await agent.prompt("a");
  assert.deepEqual(results(agent).map(textOf), ["Operation aborted", "Operation aborted"]);
});

test("toolConcurrency: so many at once, in the order of the calls; results keep their order", async () => {
  const running = new Map();
  let most = 0;
  const tool = toolOf("t", async (id) => {
    const work = deferred();
    running.set(id, work);
    most = Math.max(most, running.size);
    await work.promise;
    running.delete(id);
    return id;
  });
  const ids = ["k1", "k2", "k3", "k4", "k5"];
  const { agent, events } = agentWith([ids.map((id) => call(id, "t")), "end"], [tool], {
    toolConcurrency: 2,
  });
  const run = agent.prompt("a");
  const started = [];
  for (const next of ["k2", "k1", "k3", "k5", "k4"]) {
    await settled();
    started.push([...running.keys()].join());
    running.get(next).resolve();
  }
  await run;
  assert.deepEqual(started, ["k1,k2", "k1,k3", "k3,k4", "k4,k5", "k4"]);
  assert.equal(most, 2);
  assert.deepEqual(
    events.filter((event) => event.startsWith("execution")),
    [
      ...ids.map((id) => `execution_start ${id}`),
      ...["k2", "k1", "k3", "k5", "k4"].map((id) => `execution_end ${id}`),
    ],
  );
  assert.deepEqual(results(agent).map(textOf), ids);
});

test("calls that wait for their turn are aborted without being started; a failed call gives its place on", async () => {
  const started = [];
  const tool = toolOf("t", (id, _args, signal) => {
    started.push(id);
    if (id === "k1") throw new Error("broken");
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
  });
  const { agent } = agentWith([["k1", "k2", "k3"].map((id) => call(id, "t"))], [tool], {
    toolConcurrency: 1,
  });
  const run = agent.prompt("a");
  await settled();
  agent.abort();
  await run;
  assert.deepEqual(started, ["k1", "k2"]);
  assert.deepEqual(results(agent).map(textOf), ["broken", "stopped", "Operation aborted"]);
  assert.deepEqual(results(agent)[2].details, {});
});

test("the time of a tool begins when it starts, not while it waits for its turn", async (t) => {
  const time = fakeTime(t);
  const work = deferred();
  const tool = toolOf("t", (id) => (id === "k1" ? never() : work.promise));
  const { agent } = agentWith([[call("k1", "t"), call("k2", "t")], "end"], [tool], {
    ...{ toolConcurrency: 1, limits: { toolMs: 100 } },
  });
  const run = agent.prompt("a");
  await time.pass(100);
  await time.pass(99);
  work.resolve("in time");
  await run;
  assert.deepEqual(
    results(agent).map((message) => message.isError),
    [true, false],
  );
});

test("a bounded tool may throw anything", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [undefined, proxy, Object.create(null)]) {
    const tool = toolOf("t", () => Promise.reject(thrown));
    const { agent } = agentWith([[call("k", "t")], "end"], [tool], {
      limits: { toolMs: 1000 },
      toolConcurrency: 1,
    });
    await agent.prompt("a");
    assert.equal(results(agent)[0].isError, true);
    assert.equal(last(agent).stopReason, "stop");
  }
});

test("bounds hold for runToolCall too", async (t) => {
  const time = fakeTime(t);
  const tools = [toolOf("t", never)];
  const options = { tools, assistantMessage: { role: "assistant", content: [] }, context: { messages: [] } };
  const outcome = runToolCall(call("k", "t"), { ...options, limits: { toolMs: 20 } });
  await time.pass(20);
  const { isError, result } = await outcome;
  assert.deepEqual([isError, result.details], [true, { code: "tool_timeout" }]);
});

test("steering: tool-boundary skips what is left of a sequential batch", async () => {
  const started = [];
  let receipt;
  const tool = toolOf("t", (id) => {
    started.push(id);
    receipt ??= agent.steer(user("stop"));
    return "ok";
  });
  const batch = ["k1", "k2", "k3"].map((id) => call(id, "t"));
  const { agent, streamFn, events } = agentWith([batch, "end"], [tool], {
    ...{ steering: "tool-boundary", toolExecution: "sequential" },
  });
  await agent.prompt("a");
  assert.deepEqual(started, ["k1"]);
  const [first, ...skipped] = results(agent);
  assert.equal(first.isError, false);
  for (const message of skipped) {
    assert.deepEqual([message.isError, "durationMs" in message], [true, false]);
    assert.match(textOf(message), /skipped: the user sent a message/);
  }
  assert.equal(textOf(streamFn.requests[1].messages.at(-1)), "stop");
  assert.equal(receipt.status, "delivered");
  assert.deepEqual(
    events.filter((event) => event.startsWith("execution")),
    ["k1", "k2", "k3"].flatMap((id) => [`execution_start ${id}`, `execution_end ${id}`]),
  );
});

test("without the option, in a parallel batch, and without a message, no call is skipped", async () => {
  const cases = [
    [{ toolExecution: "sequential" }, true],
    [{ steering: "tool-boundary" }, true],
    [{ steering: "tool-boundary", toolExecution: "sequential" }, false],
  ];
  for (const [options, steers] of cases) {
    const started = [];
    const tool = toolOf("t", (id) => {
      started.push(id);
      if (steers && id === "k1") agent.steer(user("stop"));
    });
    const { agent } = agentWith([[call("k1", "t"), call("k2", "t")], "end"], [tool], options);
    await agent.prompt("a");
    assert.deepEqual(started, ["k1", "k2"]);
  }
});

test("a low-level run says for itself whether steering waits", async () => {
  const waiting = [user("stop")];
  const started = [];
  const config = {
    ...{
      model,
      convertToLlm: (messages) => messages,
      steering: "tool-boundary",
      toolExecution: "sequential",
    },
    getSteeringMessages: () => (started.length > 0 ? waiting.splice(0) : []),
    hasSteeringMessages: () => waiting.length > 0,
  };
  const context = { messages: [], tools: [toolOf("t", (id) => void started.push(id))] };
  const answers = scripted([[call("k1", "t"), call("k2", "t")], "end"]);
  const added = await agentLoop([user("a")], context, config, undefined, answers).result();
  assert.deepEqual(started, ["k1"]);
  assert.deepEqual(
    added.map(({ role }) => role),
    ["system", "user", "assistant", "toolResult", "toolResult", "user", "assistant"],
  );
});

test("many calls at once: one listener at the signal of the run, and none is left", async () => {
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const at = new Map();
  let most = 0;
  const counted = (method, step) =>
    function counting(...given) {
      if (this instanceof AbortSignal) {
        at.set(this, (at.get(this) ?? 0) + step);
        most = Math.max(most, at.get(this));
      }
      return method.apply(this, given);
    };
  EventTarget.prototype.addEventListener = counted(addEventListener, 1);
  EventTarget.prototype.removeEventListener = counted(removeEventListener, -1);
  try {
    const calls = Array.from({ length: 100 }, (_, k) => call(`k${k}`, "quick"));
    const bounds = { limits: { toolMs: 1e6, approvalMs: 1e6 }, toolAbortGraceMs: 1e6, toolConcurrency: 7 };
    const { agent } = agentWith([calls, "end"], [toolOf("quick", undefined, { approval: true })], bounds);
    agent.subscribe((event) => {
      if (event.type === "tool_approval_request") agent.approve(event.id);
    });
    await agent.prompt("a");
    assert.equal(results(agent).filter(({ isError }) => !isError).length, 100);
  } finally {
    Object.assign(EventTarget.prototype, { addEventListener, removeEventListener });
  }
  assert.ok(most < 10, `${most} listeners at one signal`);
  assert.ok(Math.max(...at.values()) <= 1, [...at.values()].join(" "));
});

test("many calls at once are all aborted", async (t) => {
  const time = fakeTime(t);
  const calls = Array.from({ length: 20 }, (_, k) => call(`k${k}`, "slow"));
  const bounds = { limits: { toolMs: 1e6 }, toolAbortGraceMs: 10, toolConcurrency: 7 };
  const { agent } = agentWith([calls], [toolOf("slow", never)], bounds);
  const run = agent.prompt("a");
  await time.pass(1);
  agent.abort();
  await time.pass(10);
  await run;
  assert.deepEqual(new Set(results(agent).map(textOf)), new Set(["Operation aborted"]));
  assert.equal(results(agent).length, 20);
});
