// The state around the loop: single flight, failures, abort, usage, disposal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AgentBusyError, AgentError, EngineCrashError } from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";
import { call, model, scripted, toolOf, usageOf, user } from "./scripted.mjs";

test("a second prompt, continue() and reset() are refused during a run, and change nothing", async () => {
  const agent = new Agent({ initialState: { model }, streamFn: scripted(["hello"]) });
  const first = agent.prompt("a");
  await assert.rejects(agent.prompt("b"), AgentBusyError);
  await assert.rejects(agent.continue(), { code: "busy" });
  assert.throws(() => agent.reset(), { code: "busy" });
  await first;
  assert.equal(agent.state.messages.length, 2);
});

test("onError gets the original value; the run still ends with its events", async () => {
  const thrown = Object.freeze({ status: 429, message: "slow down" });
  const errors = [];
  const agent = new Agent({
    ...{ initialState: { model }, streamFn: scripted(["hello"]) },
    convertToLlm: () => {
      throw thrown;
    },
    onError: (error) => {
      errors.push(error);
      throw new Error("nobody listens to this");
    },
  });
  const seen = [];
  agent.subscribe((event) => void seen.push(event.type));
  await agent.prompt("a");
  assert.deepEqual(errors, [thrown]);
  assert.deepEqual(seen.slice(-4), ["message_start", "message_end", "turn_end", "agent_end"]);
  assert.equal(agent.state.errorMessage, "slow down");
  assert.equal(agent.state.isStreaming, false);
});

test("an error of this package leaves its code in the message", async () => {
  const agent = new Agent({
    initialState: { model },
    streamFn: () => {
      throw new EngineCrashError("the engine is gone");
    },
  });
  await agent.prompt("a");
  const last = agent.state.messages.at(-1);
  assert.equal(last.stopReason, "error");
  assert.equal(last.diagnostics[0].code, "engine_crash");
});

test("values that cannot be shown still end the run", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [undefined, null, Symbol("s"), Object.create(null), proxy, new Error("")]) {
    const streamFn = () => {
      throw thrown;
    };
    const agent = new Agent({ initialState: { model }, streamFn });
    await agent.prompt("a");
    assert.match(agent.state.errorMessage ?? "", /./);
    assert.doesNotMatch(agent.state.errorMessage, /\[object Object\]/);
  }
});

test("abort(reason) is the reason of the signal that tools get", async () => {
  const reasons = [];
  const agent = new Agent({
    initialState: {
      model,
      tools: [
        toolOf("t", (_id, _args, signal) => {
          agent.abort("user pressed stop");
          reasons.push(signal.reason, signal === agent.signal);
        }),
      ],
    },
    streamFn: scripted([[call("k", "t")], ""]),
  });
  await agent.prompt("a");
  assert.deepEqual(reasons, ["user pressed stop", true]);
  assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
  assert.equal(agent.signal, undefined);
  agent.abort("nothing to abort");
});

test("usage adds up over a run and over all runs, and keeps unknown apart from 0", async () => {
  const steps = [
    usageOf(100, 10, 0.5),
    usageOf(200, 20, 0.5),
    usageOf(300, 30, 1),
    usageOf(0, 0),
    usageOf(1, 0),
  ];
  const answers = [[call("k1", "t")], [call("k2", "t")], "end", "free of charge", "more"];
  let request = 0;
  const agent = new Agent({
    initialState: { model, tools: [toolOf("t")] },
    streamFn: (...args) => {
      const streamFn = scripted([answers[request]], { usage: steps[request] });
      request++;
      return streamFn(...args);
    },
  });
  const none = { input: undefined, output: undefined, totalTokens: undefined, cost: undefined };
  const nothing = { requests: 0, known: true, ...none, cacheRead: undefined, cacheWrite: undefined };
  assert.deepEqual(agent.usage, { run: nothing, total: nothing });

  await agent.prompt("a");
  const { run } = agent.usage;
  assert.deepEqual([run.requests, run.known, run.input, run.output, run.cost], [3, true, 600, 60, 2]);
  assert.equal(agent.state.messages.at(-1).usage.input, 300);

  await agent.prompt("b");
  assert.deepEqual(agent.usage.run, { ...nothing, requests: 1, known: false });
  await agent.prompt("c");
  assert.deepEqual([agent.usage.run.input, agent.usage.run.output], [1, 0]);
  assert.deepEqual(
    [agent.usage.total.input, agent.usage.total.known, agent.usage.total.requests],
    [601, false, 5],
  );
  agent.reset();
  assert.deepEqual(agent.usage, { run: nothing, total: nothing });
});

test("dispose() aborts, removes listeners after the run, and leaves a usable agent", async () => {
  const agent = new Agent({ initialState: { model }, streamFn: scripted(["", "again"]) });
  const seen = [];
  agent.subscribe((event) => {
    seen.push(event.type);
    if (event.type === "turn_start") agent[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  });
  await agent.prompt("a");
  assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
  assert.equal(seen.at(-1), "agent_end");
  agent.dispose();
  const before = seen.length;
  await agent.prompt("b");
  assert.equal(seen.length, before);
  assert.equal(agent.state.errorMessage, undefined);
});

test("an agent works behind the deep proxy of a reactive framework", async () => {
  const proxies = new WeakMap();
  const plain = new Set(["[object Object]", "[object Array]"]);
  const reactive = (target) => {
    if (typeof target !== "object" || target === null) return target;
    if (!plain.has(Object.prototype.toString.call(target))) return target;
    if (!proxies.has(target)) {
      const get = (from, key, receiver) => reactive(Reflect.get(from, key, receiver));
      proxies.set(target, new Proxy(target, { get }));
    }
    return proxies.get(target);
  };
  const agent = reactive(new Agent({ initialState: { model }, streamFn: scripted(["hello", "more"]) }));
  const receipt = agent.followUp(user("f"));
  for await (const event of agent.stream("a")) assert.ok(event.type);
  assert.equal(receipt.status, "delivered");
  assert.equal(agent.state.messages.length, 4);
  assert.equal(agent.usage.run.requests, 2);
});

test("the state can be listed and spread; the prompt is read-only, in the 0.85 entry it is not", () => {
  const options = { initialState: { model, systemPrompt: "Be brief." }, streamFn: scripted([]) };
  const agent = new Agent(options);
  assert.equal({ ...agent.state }.systemPrompt, "Be brief.");
  assert.equal({ ...agent.state }.messages.length, 1);
  assert.throws(() => Object.assign(agent.state, { systemPrompt: "x" }), TypeError);

  const old = new OldAgent(options);
  old.state.systemPrompt = "Be long.";
  assert.equal({ ...old.state }.systemPrompt, "Be long.");
  assert.equal(old.state.messages.length, 0);
  assert.ok(old instanceof Agent);
});

test("a set of pending calls that was read never changes, and stays the same until something does", async () => {
  const seen = [];
  const calls = [call("k1", "look"), call("k2", "look")];
  const agent = new Agent({
    initialState: { model, tools: [toolOf("look")] },
    streamFn: scripted([calls, "end"]),
  });
  agent.subscribe(({ type }) => {
    const { pendingToolCalls } = agent.state;
    if (type.startsWith("tool_execution")) seen.push(pendingToolCalls);
    assert.equal(agent.state.pendingToolCalls, pendingToolCalls);
  });
  await agent.prompt("a");
  assert.deepEqual(
    seen.map((set) => [...set].join(" ")),
    ["k1", "k1 k2", "k2", ""],
  );
});

test("a constructor without a stream function says what to do", () => {
  assert.throws(
    () => new Agent(),
    (error) => {
      assert.ok(error instanceof AgentError);
      assert.equal(error.code, "invalid_request");
      assert.match(error.message, /^No default stream function configured\. Pass streamFn explicitly/);
      return true;
    },
  );
});
