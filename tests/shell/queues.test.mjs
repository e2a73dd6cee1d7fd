// Messages for an agent at work: receipts, send(), and queues at the edges of a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "steersman";
import { crashEngine } from "steersman/testing";
import { call, model, scripted, textOf, toolOf, user } from "./scripted.mjs";

const setUp = (answers, more = {}, state = {}) => {
  const streamFn = scripted(answers);
  const agent = new Agent({ initialState: { model, ...state }, streamFn, ...more });
  return { agent, streamFn };
};
const history = (agent) => agent.state.messages.filter((m) => m.role === "user").map(textOf);

test("a receipt tells when a steering message has entered the transcript", async () => {
  const statuses = [];
  let receipt;
  const { agent } = setUp(
    [[call("k1", "t")], "end"],
    {},
    {
      tools: [
        toolOf("t", () => {
          receipt = agent.steer(user("S"));
          statuses.push(receipt.status);
          return "ok";
        }),
      ],
    },
  );
  agent.subscribe((event) => {
    if (event.type === "message_start" && event.message.content === "S") statuses.push(receipt.status);
    if (event.type === "message_end" && event.message.content === "S") statuses.push(receipt.status);
  });
  await agent.prompt("a");
  assert.deepEqual(statuses, ["queued", "queued", "delivered"]);
  assert.equal(await receipt.settled, "delivered");
  assert.deepEqual(history(agent), ["a", "S"]);
});

test("what waits may be text, as in prompt()", async () => {
  const { agent } = setUp(["1", "2", "3"]);
  agent.steer("steering");
  agent.followUp("later");
  await agent.prompt("a");
  assert.deepEqual(history(agent), ["a", "steering", "later"]);
});

test("the same message may be queued twice; receipts have different ids", async () => {
  const { agent } = setUp(["1", "2", "3"]);
  const message = user("again");
  const first = agent.followUp(message);
  const second = agent.followUp(message);
  assert.notEqual(first.id, second.id);
  await agent.prompt("a");
  assert.deepEqual([first.status, second.status], ["delivered", "delivered"]);
  assert.deepEqual(history(agent), ["a", "again", "again"]);
});

test("clearing a queue, reset() and dispose() drop what waits", async () => {
  const { agent } = setUp([]);
  const cleared = [agent.steer(user("1")), agent.followUp(user("2"))];
  agent.clearSteeringQueue();
  assert.deepEqual(
    cleared.map((receipt) => receipt.status),
    ["dropped", "queued"],
  );
  agent.clearAllQueues();
  const reset = agent.followUp(user("3"));
  agent.reset();
  const disposed = agent.steer(user("4"));
  agent.dispose();
  agent.dispose();
  for (const receipt of [...cleared, reset, disposed]) assert.equal(await receipt.settled, "dropped");
  assert.equal(agent.hasQueuedMessages(), false);
});

test("a run that begins with steering takes what is steered while it goes on", async () => {
  const { agent } = setUp(
    ["old", [call("k", "t")], "new", "end"],
    {},
    { tools: [toolOf("t", () => steer("S2"))] },
  );
  const steer = (text) => void agent.steer(user(text));
  await agent.prompt("a");
  steer("S1");
  await agent.continue();
  assert.deepEqual(history(agent), ["a", "S1", "S2"]);
  assert.equal(agent.hasQueuedMessages(), false);
});

test("what was delivered stays so when its run rejects", async () => {
  const { agent } = setUp(["b"]);
  const ends = [];
  const rejected = new Promise((resolve) => {
    agent.onError = () => ends.length === 2 && resolve();
  });
  agent.subscribe(({ type }) => {
    if (type !== "agent_end") return;
    ends.push(type);
    throw new Error("broken listener");
  });
  const receipt = agent.send("a");
  // The run has failed, and so has telling of it.
  await rejected;
  assert.equal(receipt.status, "delivered");
});

test("what comes as an aborted run ends stays queued for the next one", async () => {
  const { agent } = setUp([]);
  const stop = agent.subscribe(({ type }) => {
    if (type !== "agent_end") return;
    agent.followUp(user("later"));
    agent.abort();
  });
  await agent.prompt("a");
  stop();
  assert.deepEqual(history(agent), ["a"]);
  assert.equal(agent.hasQueuedMessages(), true);
  await agent.continue();
  assert.deepEqual(history(agent), ["a", "later"]);
});

test("a crash of the engine puts what it had taken back before what still waits", async () => {
  const { agent } = setUp(["1"]);
  const receipts = ["1", "2", "3"].map((text) => agent.followUp(user(text)));
  const stop = agent.subscribe(({ type, message }) => {
    if (type === "message_start" && message.content === "1") crashEngine("panic");
  });
  await agent.prompt("a");
  stop();
  assert.deepEqual(history(agent), ["a"]);
  agent.followUpMode = "all";
  assert.deepEqual(agent.peekQueuedMessages().map(textOf), ["1", "2", "3"]);
  await agent.prompt("b");
  assert.deepEqual(history(agent), ["a", "b", "1", "2", "3"]);
  for (const receipt of receipts) assert.equal(receipt.status, "delivered");
});

test("a message that a failing run had taken is reported as dropped, one still queued is kept", async () => {
  const { agent } = setUp(["1", "2"]);
  const taken = agent.followUp(user("taken"));
  const waiting = agent.followUp(user("waiting"));
  agent.subscribe((event) => {
    if (event.type === "message_start" && event.message.content === "taken") throw new Error("no disk");
  });
  await agent.prompt("a");
  assert.deepEqual([taken.status, waiting.status], ["dropped", "queued"]);
  assert.equal(agent.state.errorMessage, "no disk");
});

test("a steering message survives an abort before it was injected", async () => {
  const { agent, streamFn } = setUp(
    [[call("k1", "t"), call("k2", "t")], "", "next"],
    {
      toolExecution: "sequential",
    },
    { tools: [toolOf("t")] },
  );
  let receipt;
  agent.subscribe((event) => {
    if (event.type === "tool_execution_start" && event.toolCallId === "k1") receipt = agent.steer(user("S"));
    if (event.type === "turn_end" && event.toolResults.length > 0) agent.abort();
  });
  await agent.prompt("a");
  await agent.prompt("P");
  assert.equal(receipt.status, "delivered");
  const sent = streamFn.requests
    .at(-1)
    .messages.filter((m) => m.role === "user")
    .map(textOf);
  assert.deepEqual(sent, ["a", "S", "P"]);
});

for (const type of ["message_end", "turn_end", "agent_end"]) {
  test(`a follow-up queued at the last ${type} is not left behind`, async () => {
    const { agent, streamFn } = setUp(["1", "2"]);
    let receipt;
    agent.subscribe((event) => {
      const last = type !== "message_end" || event.message?.role === "assistant";
      if (event.type === type && last) receipt ??= agent.followUp(user("f"));
    });
    await agent.prompt("a");
    assert.equal(streamFn.requests.length, 2);
    assert.equal(agent.hasQueuedMessages(), false);
    assert.equal(receipt.status, "delivered");
    assert.deepEqual(history(agent), ["a", "f"]);
  });
}

test("what is queued at agent_end stays queued when the run was aborted or told to end", async () => {
  const aborted = setUp([""]).agent;
  aborted.subscribe((event) => {
    if (event.type === "agent_start") aborted.abort();
    if (event.type === "agent_end") aborted.followUp(user("f"));
  });
  await aborted.prompt("a");
  assert.deepEqual(aborted.peekQueuedMessages().map(textOf), ["f"]);

  const { agent: ended, streamFn } = setUp(["1"], { finishTurn: () => ({ action: "end" }) });
  ended.followUp(user("early"));
  ended.subscribe((event) => {
    if (event.type === "agent_end") ended.followUp(user("late"));
  });
  await ended.prompt("a");
  assert.equal(streamFn.requests.length, 1);
  assert.equal(ended.hasQueuedMessages(), true);
});

test("send() starts a run, or queues during one", async () => {
  const { agent, streamFn } = setUp(["1", "2"]);
  const first = agent.send("a");
  const second = agent.send("b");
  assert.equal(second.status, "queued");
  assert.equal(await first.settled, "delivered");
  await agent.waitForIdle();
  assert.equal(await second.settled, "delivered");
  assert.equal(streamFn.requests.length, 2);
  assert.deepEqual(history(agent), ["a", "b"]);
});

test("a steered system message is recognised although its tool fields are rewritten", async () => {
  const { agent } = setUp(["1", "2"]);
  const receipt = agent.followUp({
    ...{ role: "system", content: "Be brief.", timestamp: 1 },
    toolsAdded: [{ name: "ghost", description: "", parameters: {} }],
  });
  await agent.prompt("a");
  assert.equal(receipt.status, "delivered");
  assert.equal(agent.state.systemPrompt, "Be brief.");
  assert.deepEqual(
    agent.state.messages.flatMap((m) => m.toolsAdded ?? []),
    [],
  );
});

test("continue() after an answer takes queued messages, steering first", async () => {
  const { agent } = setUp(["1", "2", "3"]);
  await agent.prompt("a");
  await assert.rejects(agent.continue(), {
    code: "invalid_request",
    message: /from message role: assistant/,
  });
  agent.followUp(user("f"));
  agent.steer(user("s"));
  await agent.continue();
  assert.deepEqual(history(agent), ["a", "s", "f"]);
});
