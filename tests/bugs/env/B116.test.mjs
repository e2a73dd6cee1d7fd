// B116: after one panic every later call failed with `unreachable` or worse. More of it: tests/hostile/crash.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, EngineCrashError } from "steersman";
import { crashEngine } from "steersman/testing";
import { model, scripted } from "../../shell/scripted.mjs";

test("B116 a panic ends the run with engine_crash, and both agents go on working", async () => {
  const errors = [];
  const [a, b] = [0, 1].map(
    () =>
      new Agent({ initialState: { model }, streamFn: scripted([]), onError: (error) => errors.push(error) }),
  );
  const ends = [];
  let crash = true;
  a.subscribe((event) => {
    if (event.type === "agent_end") ends.push(event.messages.at(-1).diagnostics?.[0].code);
    if (event.type === "message_update" && crash) {
      crash = false;
      crashEngine("panic");
    }
  });
  await a.prompt("1");
  assert.deepEqual(ends, ["engine_crash"]);
  assert.ok(errors[0] instanceof EngineCrashError);
  assert.equal(errors[0].code, "engine_crash");
  await a.prompt("2");
  await b.prompt("3");
  assert.deepEqual(
    [a, b].map((agent) => agent.state.messages.at(-1).stopReason),
    ["stop", "stop"],
  );
});
