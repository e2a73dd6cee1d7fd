// Iterating over the events of an agent: agent.events() and agent.stream().
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AgentBusyError } from "steersman";
import { call, model, scripted, textOf, toolOf } from "./scripted.mjs";

const agentWith = (answers, more = {}) =>
  new Agent({ initialState: { model }, streamFn: scripted(answers), ...more });

const whole = [
  "agent_start",
  "turn_start",
  "message_start",
  "message_end",
  "message_start",
  "message_update",
  "message_update",
  "message_update",
  "message_end",
  "turn_end",
  "agent_end",
];

test("consumers of events() neither break a run nor each other", async () => {
  const agent = agentWith(["hello"]);
  const seen = [];
  const throws = (async () => {
    for await (const event of agent.events())
      if (event.type === "message_update") throw new Error("consumer");
  })();
  const leaves = (async () => {
    for await (const event of agent.events()) if (event.type === "message_update") break;
  })();
  const records = (async () => {
    for await (const event of agent.events()) {
      seen.push(event.type);
      if (event.type === "agent_end") break;
    }
  })();
  await agent.prompt("a");
  await assert.rejects(throws, /consumer/);
  await leaves;
  await records;
  assert.deepEqual(seen, whole);
  assert.equal(agent.state.errorMessage, undefined);
});

test("events() misses nothing between its call and the first read, and ends on dispose()", async () => {
  const agent = agentWith(["hello"]);
  const events = agent.events();
  await agent.prompt("a");
  agent.dispose();
  const seen = [];
  for await (const event of events) seen.push(event.type);
  assert.deepEqual(seen, whole);
});

test("a reader that waits for the next event can leave at once", async () => {
  const agent = agentWith(["hello"]);
  const events = agent.events();
  const waiting = events.next();
  await events.return();
  assert.deepEqual(await waiting, { value: undefined, done: true });
  await agent.prompt("a");
  assert.deepEqual(await events.next(), { value: undefined, done: true });
});

test("events() still delivers when a listener breaks the run", async () => {
  const agent = agentWith(["hello"]);
  let broken = false;
  agent.subscribe((event) => {
    if (event.type !== "message_update" || broken) return;
    broken = true;
    throw new Error("listener");
  });
  const events = agent.events();
  await agent.prompt("a");
  agent.dispose();
  const ends = [];
  for await (const event of events) if (event.type === "agent_end") ends.push(event);
  assert.equal(ends.length, 1);
  assert.equal(agent.state.errorMessage, "listener");
});

test("stream() gives the events of one run and the messages it added", async () => {
  const agent = agentWith(["hello"]);
  const stream = agent.stream("a");
  const seen = [];
  for await (const event of stream) seen.push(event.type);
  assert.deepEqual(seen, whole);
  const added = await stream.result();
  assert.deepEqual(
    added.map((message) => [message.role, textOf(message)]),
    [
      ["user", "a"],
      ["assistant", "hello"],
    ],
  );
  assert.equal(agent.state.isStreaming, false);
  assert.equal(added[1], agent.state.messages[1]);
});

test("stream() of a failed run ends, with the failure as a message", async () => {
  const agent = agentWith([
    () => {
      throw new Error("no route");
    },
  ]);
  const stream = agent.stream("a");
  const seen = [];
  for await (const event of stream) seen.push(event.type);
  assert.equal(seen.at(-1), "agent_end");
  const added = await stream.result();
  assert.equal(added.length, 2);
  assert.equal(added[1].errorMessage, "no route");
});

test("leaving stream() does not abort the run", async () => {
  const agent = agentWith(["hello"]);
  const stream = agent.stream("a");
  for await (const event of stream) if (event.type === "turn_start") break;
  assert.equal((await stream.result()).length, 2);
  assert.equal(agent.state.errorMessage, undefined);
});

test("dispose() ends stream(), whatever the run still waits for", async () => {
  const never = toolOf("t", () => {
    agent.dispose();
    return new Promise(() => {});
  });
  const agent = new Agent({
    initialState: { model, tools: [never] },
    streamFn: scripted([[call("k", "t")]]),
  });
  const stream = agent.stream("a");
  const seen = [];
  for await (const { type } of stream) seen.push(type);
  assert.equal(seen.at(-1), "tool_execution_start");
  assert.deepEqual(
    (await stream.result()).map(({ role }) => role),
    ["user", "assistant"],
  );
});

test("stream() during a run fails, leaves that run alone, and is not unhandled when nobody reads it", async () => {
  const agent = agentWith(["hello"]);
  const running = agent.prompt("a");
  agent.stream("ignored");
  const refused = agent.stream("b");
  await assert.rejects(async () => {
    for await (const _event of refused) assert.fail("no event may arrive");
  }, AgentBusyError);
  await assert.rejects(refused.result(), { code: "busy" });
  await running;
  assert.equal(agent.state.messages.length, 2);
});
