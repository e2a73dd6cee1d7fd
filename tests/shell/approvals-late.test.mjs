// A check for approval that answers when its run is over: nobody is asked, and nothing waits for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "steersman";
import { call, model, scripted, toolOf } from "./scripted.mjs";

test("a run broke off while a check was open: its late answer leaves no request behind", async () => {
  let decide;
  const reported = [];
  const events = [];
  const slow = toolOf("slow", async () => "ok", {
    approval: () =>
      new Promise((resolve) => {
        decide = resolve;
      }),
  });
  const quick = toolOf("quick", async () => "ok");
  const agent = new Agent({
    streamFn: scripted([[call("k1", "slow", {}), call("k2", "quick", {})], "done"]),
    initialState: { model, tools: [slow, quick] },
    onError: (error) => reported.push(error.message),
  });
  agent.subscribe((event) => {
    events.push(event.type);
    if (event.type === "tool_execution_end") throw new Error("a listener threw");
  });
  await agent.prompt("go");
  assert.equal(typeof decide, "function");
  decide(true);
  for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next));
  assert.deepEqual(agent.pendingApprovals, []);
  assert.ok(!events.includes("tool_approval_request"));
  assert.deepEqual(reported, ["a listener threw"]);
});
