// What happens when the engine cannot be loaded. The slim entry has no module until it is given one.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as slim from "steersman/slim";
import { model, scripted, user } from "./scripted.mjs";

const convertToLlm = (messages) => messages;

test("without the engine: prompts reject, streams fail, nothing is lost, and the next try can succeed", async () => {
  const options = { initialState: { model }, streamFn: scripted(["1", "2"]) };
  const errors = [];
  const agent = new slim.Agent({ ...options, onError: (error) => errors.push(error.code) });
  const seen = [];
  agent.subscribe((event) => void seen.push(event.type));
  const isLoadError = (error) => error instanceof slim.EngineLoadError && error.code === "wasm_load_failed";

  await assert.rejects(agent.prompt("a"), isLoadError);
  assert.deepEqual([agent.state.isStreaming, agent.state.messages.length, seen.length], [false, 0, 0]);

  agent.state.messages = [user("a"), { role: "assistant", content: [], stopReason: "stop" }];
  const receipt = agent.followUp(user("f"));
  await assert.rejects(agent.continue(), isLoadError);
  assert.equal(receipt.status, "queued");

  const sent = agent.send("b");
  assert.equal(await sent.settled, "dropped");
  assert.deepEqual(errors, ["wasm_load_failed"]);

  const stream = slim.agentLoop(
    [user("a")],
    { messages: [] },
    { model, convertToLlm },
    undefined,
    scripted([]),
  );
  await assert.rejects(stream.result(), isLoadError);
  await assert.rejects(slim.init("data:text/html,hello"), isLoadError);

  const wasm = new URL(import.meta.resolve("steersman/steersman.wasm"));
  await slim.init(await readFile(wasm));
  await agent.continue();
  assert.equal(receipt.status, "delivered");
  assert.equal(agent.state.errorMessage, undefined);
});
