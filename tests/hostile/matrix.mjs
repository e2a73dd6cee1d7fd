// Every method called in every place: some 2,000 runs, each of which must end in order and leave the agent usable.
import { methods } from "./methods.mjs";
import { grammar, settled, show, unhandledRejections } from "./observe.mjs";
import { places } from "./places.mjs";
import { put, World } from "./world.mjs";

/** One run in which `method` is called the first time that `place` is reached. Throws what is wrong with it. */
async function play({ steersman, testing }, place, call) {
  const world = new World(steersman);
  const cell = { testing, active: true, later: [], after: [], receipts: [], other: [] };
  let reached = 0;
  let problem;
  place.install(world, () => {
    if (reached++ > 0) return;
    try {
      cell.active = world.agent.state.isStreaming;
      call(world.agent, cell);
    } catch (error) {
      problem = error;
    }
  });
  const agent = world.make();
  cell.unsubscribe = agent.subscribe((event) => void cell.other.push(event));
  if (world.queued) {
    const receipt = agent.steer(world.queued);
    world.receipt?.(receipt);
  }

  const outcome = await settled(agent.prompt(world.prompt), "prompt()");
  if (!outcome.ok) throw new Error(`prompt() rejected: ${show(outcome.error)}`);
  await settled(agent.waitForIdle(), "waitForIdle()");
  if (reached === 0) throw new Error("the place was not reached");
  if (problem) throw problem;
  const events = world.events.slice();
  const problems = grammar(events, world.signals);
  if (problems.length > 0) throw new Error(problems.join("; "));
  if (agent.state.isStreaming || agent.state.streamingMessage || agent.state.pendingToolCalls.size > 0) {
    throw new Error("the state says that a run is in progress");
  }
  for (const check of cell.after) check(events);

  await goesOn(agent, world);
  for (const promise of [...cell.later, world.extra ?? Promise.resolve()]) {
    const late = await settled(promise, "a promise of the call");
    if (!late.ok) throw late.error;
  }
  for (const receipt of cell.receipts) {
    if (receipt.status === "queued" && !agent.hasQueuedMessages())
      throw new Error("a queued message was lost");
  }
  const rejections = await unhandledRejections();
  if (rejections.length > 0) throw new Error(`unhandled: ${rejections.map(show).join("; ")}`);
}

const OPTIONAL_HOOKS = [
  "transformContext",
  "getApiKey",
  "prepareRequest",
  "finishTurn",
  "shouldStopAfterTurn",
  "prepareNextTurn",
  "prepareNextTurnWithContext",
];

/** The next prompt works: the engine did not break down, and nothing of the last run is in the way. */
export async function goesOn(agent, world) {
  const ok = { role: "assistant", content: [{ type: "text", text: "fine" }], stopReason: "stop" };
  const final = { ...world.state.model, ...ok, usage: undefined, timestamp: 3 };
  agent.streamFunction = () => ({
    async *[Symbol.asyncIterator]() {
      yield { type: "done", reason: "stop", message: final };
    },
    result: async () => final,
  });
  agent.clearAllQueues();
  // Hooks that throw or read hostile values have done their work.
  for (const hook of OPTIONAL_HOOKS) put(agent, hook, undefined);
  put(agent, "convertToLlm", (messages) => messages);
  let end;
  agent.subscribe((event) => {
    if (event.type === "agent_end") end = event.messages.at(-1);
  });
  const outcome = await settled(agent.prompt("next"), "the next prompt");
  if (!outcome.ok) throw new Error(`the next prompt rejected: ${show(outcome.error)}`);
  if (end !== final) throw new Error(`the next prompt ended with ${show(end?.errorMessage)}`);
}

/**
 * @param host `{steersman, testing}`: the package and its entry for tests
 * @param log takes the lines of the printed matrix
 * @returns how many cells passed, and what failed, by name
 */
export async function matrix(host, log) {
  const names = Object.keys(methods);
  names.forEach((name, i) => log(`${String.fromCharCode(97 + i)}  ${name}`));
  const failures = [];
  let passed = 0;
  for (const place of places) {
    let row = "";
    for (const name of names) {
      try {
        await play(host, place, methods[name]);
        passed++;
        row += ".";
      } catch (error) {
        failures.push({ name: `${place.name}: ${name}`, detail: show(error) });
        await unhandledRejections();
        row += "X";
      }
    }
    log(`${row}  ${place.name}`);
  }
  return { passed, failures };
}
