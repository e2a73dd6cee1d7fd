// Random mixes of both matrices: several places, several methods, strange values, two agents at once that also call each
// other. A failure names its seed, and the seed alone plays it again.
import { goesOn } from "./matrix.mjs";
import { methods } from "./methods.mjs";
import { grammar, settled, show, turn, unhandledRejections } from "./observe.mjs";
import { places } from "./places.mjs";
import { Random } from "../properties/random.mjs";
import { slots } from "./slots.mjs";
import { values } from "./values.mjs";
import { call, World } from "./world.mjs";

const mixable = places.filter(({ alone }) => !alone);

/** Calls of one run; more would let steering feed itself. */
const MOST_CALLS = 6;

/** What a seed stands for, in words, and the worlds. */
function plan(host, seed) {
  const random = new Random(seed);
  const made = Object.entries(values(host.steersman, host.realm));
  const names = Object.keys(methods);
  const story = [];
  const later = [];
  const worlds = [];
  let calls = 0;
  const act = (where) => () => {
    const target = worlds[random.below(2)];
    if (!target?.agent || calls >= MOST_CALLS || random.oneIn(3)) return;
    calls++;
    const { agent } = target;
    const name = random.pick(names);
    story.push(`${where}: ${name} of agent ${worlds.indexOf(target)}`);
    const active = agent.state.isStreaming;
    const cell = {
      testing: host.testing,
      active,
      later: [],
      after: [],
      receipts: [],
      unsubscribe() {},
      other: [],
    };
    methods[name](agent, cell);
    if (name === "dispose") target.disposed = true;
    for (const promise of cell.later) later.push(promise.catch(() => {}));
  };
  for (let i = 0; i < 2; i++) {
    const world = new World(host.steersman);
    for (let turns = random.below(3); turns > 0; turns--) {
      const batch = Array.from({ length: 1 + random.below(3) }, (_, n) =>
        call(`k${i}${turns}${n}`, "t", { a: n }),
      );
      world.answers.splice(1, 0, batch);
    }
    world.options.toolExecution = random.pick(["parallel", "sequential"]);
    world.options.steeringMode = random.pick(["all", "one-at-a-time"]);
    if (seed % 3 === i) world.options.coalesce = "frame";
    for (let n = random.below(3); n >= 0; n--) {
      const place = random.pick(mixable);
      story.push(`agent ${i} has ${place.name}`);
      place.install(world, act(`agent ${i}, ${place.name}`));
    }
    if (random.oneIn(2)) {
      const slot = random.pick(slots);
      const [name, value] = random.pick(made);
      story.push(`agent ${i}: ${slot.name} ${name}`);
      world.strange = slot.name;
      slot.fill(world, value);
    }
    worlds.push(world);
  }
  const calm = () => {
    calls = MOST_CALLS;
  };
  return { worlds, story, later, calm };
}

/** Approves what disposed agents ask, until `over`. */
async function allowWhenDeserted(worlds, over) {
  while (!over()) {
    for (const { agent, disposed } of worlds) {
      if (disposed) for (const { id } of agent.pendingApprovals) agent.approve(id);
    }
    await turn();
  }
}

/** Plays a seed; throws what is wrong, with the story. */
export async function playSeed(host, seed) {
  const { worlds, story, later, calm } = plan(host, seed);
  let over = false;
  try {
    for (const world of worlds) {
      world.make();
      if (world.queued) world.agent.steer(world.queued);
    }
    const prompts = worlds.map((world) => world.agent.prompt(world.prompt).catch((error) => ({ error })));
    // The listeners of a disposed agent are gone: nobody sees its events, and nobody answers its questions.
    void allowWhenDeserted(worlds, () => over);
    for (const [i, world] of worlds.entries()) {
      const { value: refused } = await settled(prompts[i], `prompt() of agent ${i}`);
      await settled(world.agent.waitForIdle(), `waitForIdle() of agent ${i}`);
      // An agent that was started by the other one refuses the prompt; a listener that throws in a failed run is heard.
      const heard = world.strange?.startsWith("listener ");
      if (refused && !heard && refused.error.code !== "busy") throw refused.error;
      const problems = grammar(world.events, world.signals, {
        endBroken: heard || worlds.some(({ thrown }) => thrown),
      });
      if (problems.length > 0 && !heard && !world.disposed)
        throw new Error(`agent ${i}: ${problems.join("; ")}`);
    }
    calm();
    for (const { agent } of worlds) await settled(agent.waitForIdle(), "waitForIdle()");
    for (const world of worlds) {
      const { agent } = world;
      world.listener = () => {};
      Object.assign(agent.state, { messages: [], tools: [], model: world.state.model });
      agent.identity = undefined;
      await goesOn(agent, world);
    }
    // What they came to is for the matrix to judge: here a strange value may be the reason.
    for (const promise of later) await settled(promise, "a promise of a call");
    const rejections = await unhandledRejections();
    if (rejections.length > 0) throw new Error(`unhandled: ${rejections.map(show).join("; ")}`);
  } catch (error) {
    await unhandledRejections();
    throw new Error(`seed ${seed}: ${show(error)}\n  ${story.join("\n  ")}`);
  } finally {
    over = true;
  }
}

/** @returns how many seeds passed, and what failed */
export async function fuzz(host, from, count) {
  const failures = [];
  let passed = 0;
  for (let seed = from; seed < from + count; seed++) {
    try {
      await playSeed(host, seed);
      passed++;
    } catch (error) {
      failures.push({ name: `fuzz, seed ${seed}`, detail: show(error) });
      if (failures.length === 20) break;
    }
  }
  return { passed, failures };
}
