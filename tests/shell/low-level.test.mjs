// The loop without an Agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentLoop, agentLoopContinue, AgentError, runAgentLoop } from "steersman";
import { call, model, scripted, toolOf, user } from "./scripted.mjs";

const convertToLlm = (messages) => messages;
const thrower = (error) => () => {
  throw error;
};

test("a low-level stream always ends: a failure becomes the closing events and a message", async () => {
  const context = { messages: [], tools: [toolOf("t")] };
  const streamFn = scripted([[call("k", "t")], thrower(new Error("second request"))]);
  const stream = agentLoop([user("a")], context, { model, convertToLlm }, undefined, streamFn);
  const seen = [];
  for await (const event of stream) seen.push(event.type);
  assert.deepEqual(seen.slice(-4), ["message_start", "message_end", "turn_end", "agent_end"]);
  const added = await stream.result();
  assert.deepEqual(added.map((message) => message.role).slice(-3), ["assistant", "toolResult", "assistant"]);
  assert.equal(added.at(-1).stopReason, "error");
  assert.equal(added.at(-1).errorMessage, "second request");
});

test("run functions reject with the thrown value itself", async () => {
  const thrown = { any: "value" };
  const streamFn = scripted([thrower(thrown)]);
  const running = runAgentLoop(
    [user("a")],
    { messages: [] },
    { model, convertToLlm },
    () => {},
    undefined,
    streamFn,
  );
  await assert.rejects(running, (error) => error === thrown);
});

test("a continuation needs something to continue from", () => {
  const config = { model, convertToLlm };
  assert.throws(
    () => agentLoopContinue({ messages: [] }, config),
    (error) => {
      return error instanceof AgentError && error.message === "Cannot continue: no messages in context";
    },
  );
});

test("the systemPrompt of a low-level context goes out with every request and stays out of the transcript", async () => {
  const context = { systemPrompt: "Be brief.", messages: [], tools: [toolOf("t")] };
  const streamFn = scripted([[call("k", "t")], "end"]);
  const stream = agentLoop([user("a")], context, { model, convertToLlm }, undefined, streamFn);
  const added = await stream.result();
  assert.equal(streamFn.requests.length, 2);
  for (const { messages } of streamFn.requests) {
    assert.deepEqual([messages[0].role, messages[0].content], ["system", "Be brief."]);
  }
  assert.ok(!added.some((message) => message.content === "Be brief."));
});
