// B139: subscriptions of a closed view kept every old state alive.
import assert from "node:assert/strict";
import { test } from "node:test";
import v8 from "node:v8";
import vm from "node:vm";
import { Agent } from "steersman";
import { turn } from "../../hostile/observe.mjs";
import { model, scripted } from "../../shell/scripted.mjs";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

/** How many of these objects are still there after garbage was collected. */
async function alive(references) {
  for (let i = 0; i < 10; i++) {
    await turn();
    collect();
  }
  return references.filter((reference) => reference.deref() !== undefined).length;
}

const agentOf = () => new Agent({ initialState: { model }, streamFn: scripted([]) });

test("B139 1000 views that subscribe, run and unsubscribe leave nothing behind", async () => {
  const agent = agentOf();
  const views = [];
  const open = () => {
    const view = { seen: 0 };
    views.push(new WeakRef(view));
    return agent.subscribe(() => void view.seen++);
  };
  const visit = async (run) => {
    const leave = open();
    if (run) await agent.prompt("a");
    leave();
  };
  for (let i = 0; i < 1000; i++) await visit(i % 100 === 0);
  assert.equal(await alive(views), 0);
});

test("B139 iterators that were abandoned keep no events", async () => {
  const agent = agentOf();
  const events = [];
  agent.subscribe((event) => void events.push(new WeakRef(event)));
  const look = (waits) => {
    const iterator = agent.events();
    if (waits) void iterator.next();
  };
  for (let i = 0; i < 100; i++) look(i % 2 === 0);
  await agent.prompt("a");
  agent.state.messages = [];
  assert.ok(events.length > 5);
  assert.equal(await alive(events), 0);
  // And those that are still there get everything.
  const kept = agent.events();
  await agent.prompt("b");
  assert.equal((await kept.next()).value.type, "agent_start");
  assert.equal((await kept.next()).value.type, "turn_start");
});
