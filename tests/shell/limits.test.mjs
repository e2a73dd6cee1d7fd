// Limits of a whole run: turns, tool calls, tokens, money. A run that reaches one ends like any other failed run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentLoop, isContextOverflow, isRetryable } from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";
import { call, model, scripted, textOf, toolOf, usageOf, user } from "./scripted.mjs";
import { recorder } from "./time.mjs";

const convertToLlm = (messages) => messages;
/** A model that calls a tool for ever. */
const endless = () => Array.from({ length: 20 }, (_, i) => [call(`k${i}`, "t")]);

function agentWith(limits, answers = endless(), { usage, state, ...more } = {}) {
  const streamFn = scripted(answers, { usage });
  const agent = new Agent({
    ...{ initialState: { model, tools: [toolOf("t")], ...state }, streamFn, limits },
    ...more,
  });
  return { agent, streamFn };
}

const last = (agent) => agent.state.messages.at(-1);
const codeOf = (message) => message.diagnostics?.[0]?.code;
const results = (agent) => agent.state.messages.filter((message) => message.role === "toolResult");

test("maxTurns ends the run before the request that would go beyond, with the events of a failed turn", async () => {
  const { agent, streamFn } = agentWith({ maxTurns: 2 });
  const { events, listener } = recorder();
  agent.subscribe(listener);
  await agent.prompt("a");
  assert.equal(streamFn.requests.length, 2);
  const turn = (id) => [
    ...["turn_start", "message assistant", `execution_start ${id}`, `execution_end ${id}`],
    ...["message toolResult", "turn_end"],
  ];
  const [first, ...rest] = turn("k0");
  assert.deepEqual(events, [
    ...["agent_start", first, "message user", ...rest, ...turn("k1")],
    ...["turn_start", "message assistant", "turn_end", "agent_end"],
  ]);
  assert.equal(last(agent).stopReason, "error");
  assert.equal(codeOf(last(agent)), "limit_turns");
  assert.match(last(agent).errorMessage, /2 of 2 turns \(limits\.maxTurns\)/);
  assert.equal(agent.state.errorMessage, last(agent).errorMessage);
  // The request that was not made used nothing and is not counted as one.
  assert.equal(agent.usage.run.requests, 2);
});

test("the next run starts with everything unused; follow-ups belong to the run that they keep going", async () => {
  const { agent, streamFn } = agentWith({ maxTurns: 2 }, ["1", "2", "3", "4"]);
  for (const text of ["f1", "f2"]) agent.followUp(user(text));
  await agent.prompt("a");
  assert.equal(streamFn.requests.length, 2);
  assert.equal(codeOf(last(agent)), "limit_turns");
  await agent.prompt("b");
  assert.equal(streamFn.requests.length, 3);
  assert.equal(last(agent).stopReason, "stop");
});

test("a message queued at agent_end does not restart the count", async () => {
  const { agent, streamFn } = agentWith({ maxTurns: 2 }, ["1", "2", "3", "4"]);
  let queued = 0;
  agent.subscribe((event) => {
    if (event.type === "agent_end" && queued++ < 3) agent.followUp(user("more"));
  });
  await agent.prompt("a");
  assert.equal(streamFn.requests.length, 2);
  assert.equal(codeOf(last(agent)), "limit_turns");
});

test("calls beyond maxToolCalls get an error result, and the run ends before the next request", async () => {
  const ran = [];
  const seen = [];
  const { agent, streamFn } = agentWith(
    { maxToolCalls: 2 },
    [[call("k1", "t"), call("k2", "t"), call("k3", "t")], "end"],
    {
      state: { tools: [toolOf("t", (id) => void ran.push(id))] },
      afterToolCall: ({ toolCall }) => void seen.push(toolCall.id),
    },
  );
  await agent.prompt("a");
  assert.deepEqual(ran, ["k1", "k2"]);
  assert.deepEqual(seen, ["k1", "k2"]);
  const [, , third] = results(agent);
  assert.equal(third.isError, true);
  assert.match(textOf(third), /used up, the limit is 2 \(limits\.maxToolCalls\)/);
  assert.deepEqual(third.details, { code: "limit_tool_calls" });
  assert.equal("durationMs" in third, false);
  assert.equal(streamFn.requests.length, 1);
  assert.equal(codeOf(last(agent)), "limit_tool_calls");
  assert.match(last(agent).errorMessage, /3 of 2 tool calls/);
});

test("exactly maxToolCalls calls are no reason to stop", async () => {
  const { agent } = agentWith({ maxToolCalls: 2 }, [[call("k1", "t"), call("k2", "t")], "end"]);
  await agent.prompt("a");
  assert.equal(last(agent).stopReason, "stop");
});

test("calls that cannot run do not count", async () => {
  const { agent } = agentWith(
    { maxToolCalls: 1 },
    [[call("k1", "nope"), call("k2", "t"), call("k3", "no")], "end"],
    {
      beforeToolCall: ({ toolCall }) => ({ block: toolCall.id === "k3" }),
    },
  );
  await agent.prompt("a");
  assert.equal(last(agent).stopReason, "stop");
});

test("maxTokens and maxCost end the run when they are used up, at the reported figures", async () => {
  const tokens = agentWith({ maxTokens: 250 }, endless(), { usage: usageOf(100, 10) });
  await tokens.agent.prompt("a");
  assert.equal(tokens.streamFn.requests.length, 3);
  assert.equal(codeOf(last(tokens.agent)), "limit_tokens");
  assert.match(last(tokens.agent).errorMessage, /330 of 250 tokens \(limits\.maxTokens\)/);

  const cost = agentWith({ maxCost: 0.3 }, endless(), { usage: usageOf(100, 10, 0.1) });
  await cost.agent.prompt("a");
  assert.equal(cost.streamFn.requests.length, 3);
  assert.equal(codeOf(last(cost.agent)), "limit_cost");
  assert.match(last(cost.agent).errorMessage, /0\.3 of 0\.3 dollars/);
});

test("unknown usage counts by a rule: four characters are a token, at the prices of the model", async () => {
  const text = "x".repeat(4000);
  const run = async (limits, prices) => {
    const { agent, streamFn } = agentWith(limits, endless(), {
      usage: usageOf(0, 0),
      state: { model: { ...model, cost: { ...model.cost, ...prices } } },
    });
    await agent.prompt(text);
    return { requests: streamFn.requests.length, code: codeOf(last(agent)), known: agent.usage.run.known };
  };
  // Every request carries the thousand tokens of the prompt again, and a little more.
  assert.deepEqual(await run({ maxTokens: 2000 }), { requests: 2, code: "limit_tokens", known: false });
  assert.deepEqual(await run({ maxCost: 2 }, { input: 1000 }), {
    requests: 2,
    code: "limit_cost",
    known: false,
  });
  const image = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" };
  const { agent, streamFn } = agentWith({ maxTokens: 2400 }, endless(), { usage: usageOf(0, 0) });
  await agent.prompt("a", [image]);
  assert.equal(streamFn.requests.length, 2);
});

test("a price that nobody reported follows from the tokens; a reported price of zero counts as it is", async () => {
  const prices = { input: 1, output: 10, cacheRead: 0, cacheWrite: 0 };
  const priced = { ...model, cost: { ...prices, tiers: [{ ...prices, input: 2, inputTokensAbove: 1e6 }] } };
  const run = async (usage) => {
    const { agent, streamFn } = agentWith({ maxCost: 6 }, endless(), { usage, state: { model: priced } });
    await agent.prompt("a");
    return streamFn.requests.length;
  };
  assert.equal(await run(usageOf(1e6, 1e5)), 3);
  assert.equal(await run(usageOf(2e6, 1e5)), 2);
  const free = usageOf(2e6, 0);
  free.cost.totalFromProvider = true;
  assert.equal(await run(free), 21);
});

test("a run that has reached a limit is not worth another try, whatever the numbers are", async () => {
  for (const limits of [
    { maxTurns: 0 },
    { maxTokens: 0 },
    { maxCost: 0 },
    { maxTurns: -500 },
    { maxTokens: -429 },
  ]) {
    const { agent, streamFn } = agentWith(limits);
    await agent.prompt("a");
    assert.equal(streamFn.requests.length, 0);
    assert.match(last(agent).errorMessage, /out of budget: 0 of /);
    assert.deepEqual([isRetryable(last(agent)), isContextOverflow(last(agent), 1000)], [false, false]);
  }
});

test("an aborted run ends as aborted, also when a limit is reached", async () => {
  const { agent } = agentWith({ maxTurns: 1 }, endless(), {
    state: { tools: [toolOf("t", () => agent.abort())] },
  });
  await agent.prompt("a");
  assert.equal(last(agent).stopReason, "aborted");
});

test("limits hold in low-level runs and in the 0.85.1 profile", async () => {
  const streamFn = scripted(endless());
  const config = { model, convertToLlm, limits: { maxTurns: 1 } };
  const stream = agentLoop([user("a")], { messages: [], tools: [toolOf("t")] }, config, undefined, streamFn);
  const added = await stream.result();
  assert.equal(codeOf(added.at(-1)), "limit_turns");
  assert.equal(streamFn.requests.length, 1);

  const old = new OldAgent({
    ...{ initialState: { model, tools: [toolOf("t")] }, streamFn: scripted(endless()) },
    limits: { maxTurns: 3 },
  });
  await old.prompt("a");
  assert.equal(codeOf(old.state.messages.at(-1)), "limit_turns");
});

test("limits may be changed between runs", async () => {
  const { agent, streamFn } = agentWith(undefined, ["1", "2"]);
  await agent.prompt("a");
  agent.limits = { maxTurns: 0 };
  await agent.prompt("b");
  assert.equal(codeOf(last(agent)), "limit_turns");
  assert.equal(streamFn.requests.length, 1);
});

test("bounds that make no sense are refused by name", async () => {
  const make = (options) => () => new Agent({ streamFn: scripted([]), ...options });
  const cases = [
    [{ limits: { idleMs: 0 } }, /limits\.idleMs must be a number of milliseconds above 0, not 0/],
    [{ limits: { toolMs: "5" } }, /limits\.toolMs/],
    [{ limits: { maxTurns: Number.NaN } }, /limits\.maxTurns/],
    [{ limits: { maxSteps: 3 } }, /no limit "maxSteps"; known: .*maxTurns/],
    [{ toolAbortGraceMs: -1 }, /toolAbortGraceMs/],
    [{ toolConcurrency: 0 }, /toolConcurrency must be a number of at least 1/],
    [{ steering: "always" }, /steering must be "tool-boundary"/],
  ];
  for (const [options, message] of cases) assert.throws(make(options), { code: "invalid_request", message });
  make({ limits: { maxTurns: Infinity, idleMs: undefined }, toolAbortGraceMs: 0 })();

  const agent = new Agent({ initialState: { model }, streamFn: scripted(["never"]) });
  agent.toolConcurrency = 0;
  await agent.prompt("a");
  assert.equal(codeOf(last(agent)), "invalid_request");
});
