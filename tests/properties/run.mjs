// One schedule: an agent, a few runs, and what must hold after each.
import { turn } from "../hostile/observe.mjs";
import { INJECTED } from "./grammar.mjs";
import { randomHooks } from "./hooks.mjs";
import { randomModel } from "./model.mjs";
import { moody, World } from "./world.mjs";

/** Most turns of one run. */
const PATIENCE = 2000;

/** What happened in schedules, in numbers. */
export class Tally {
  runs = 0;
  clean = 0;
  requests = 0;
  events = 0;

  add(other) {
    for (const name of Object.keys(other)) this[name] += other[name];
  }

  /** Whether schedules are what they should be: several runs each, most of them undisturbed by failures. */
  covers(schedules) {
    return this.runs > schedules && this.clean * 2 > this.runs && this.requests > this.runs;
  }

  toString() {
    const { runs, clean, requests, events } = this;
    return `${runs} runs (${clean} without injected failure), ${requests} requests, ${events} events`;
  }
}

/** Plays the schedule of a seed; throws what is wrong. */
export async function schedule(host, seed, logs = false) {
  const world = new World(host, seed, logs);
  const { random } = world;
  // By the seed, so that both shells go on drawing the same numbers.
  build(world, seed % 3 === 0 ? "frame" : undefined);
  const { agent } = world;
  const heard = [];
  agent.subscribe((event) => first(world, event));
  for (let count = random.below(3); count > 0; count--) agent.subscribe(moody(world));
  agent.subscribe((event) => void heard.push(event.type));
  const tally = new Tally();
  for (let runs = 1 + random.below(4); runs > 0 && world.problems.length === 0; runs--) {
    await oneRun(world, heard, tally);
    if (world.problems.length === 0) betweenRuns(world);
  }
  agent.dispose();
  if (world.problems.length > 0) throw new Error([...world.problems, ...(world.log ?? [])].join("\n"));
  return tally;
}

function build(world, coalesce) {
  const { random, host } = world;
  const options = {
    coalesce,
    initialState: {
      model: world.model(),
      systemPrompt: random.pick(["", "Be brief."]),
      tools: world.tools(),
    },
    streamFn: randomModel(world),
    ...(random.oneIn(2) ? randomHooks(world) : {}),
    toolExecution: random.oneIn(4) ? "sequential" : "parallel",
  };
  if (random.oneIn(4)) Object.assign(options, { toolExecution: "sequential", steering: "tool-boundary" });
  world.agent = new (world.old ? host.OldAgent : host.Agent)(options);
}

/** The first listener: follows the grammar and the books. */
function first(world, event) {
  world.say(() => event.type);
  world.events.push(event);
  const disorder = world.grammar.step(event);
  if (disorder) world.problem(`event out of order: ${disorder}`);
  if (event.type !== "message_end") return;
  world.entered.push(event.message);
  const wrong = world.ledger.delivered(event.message);
  if (wrong) world.problem(wrong);
}

async function oneRun(world, heard, tally) {
  const { agent, random } = world;
  world.begin();
  heard.length = 0;
  const streamed = [];
  const iterator = agent.events();
  const reading = (async () => {
    for await (const event of iterator) streamed.push(event);
  })();
  const before = agent.state.messages.slice();
  const continues = random.oneIn(4);
  const prompts = Array.from({ length: 1 + random.below(2) }, () => world.message());
  world.say(() => (continues ? "continue" : "prompt"));
  const outcome = await drive(world, continues ? agent.continue() : agent.prompt(prompts));
  await agent.waitForIdle();
  await iterator.return();
  await reading;
  tally.runs++;
  tally.requests += world.requests;
  tally.events += world.events.length;
  const { failing, complete } = world.grammar;
  if (outcome) settled(world, outcome, continues);
  if (outcome && !failing && complete) {
    tally.clean++;
    // Reports of tools that run together go round at the same time, so the last listener may hear them in another order
    // than the first.
    const types = world.events.map(({ type }) => type).sort();
    if (String(heard.slice().sort()) !== String(types)) world.problem("the last listener missed something");
  }
  if (streamed.length !== world.events.length || streamed.some((event, i) => event !== world.events[i])) {
    world.problem("the stream of events missed something");
  }
  const { isStreaming, pendingToolCalls, streamingMessage, messages } = agent.state;
  if (isStreaming || pendingToolCalls.size > 0 || streamingMessage) world.problem("the agent is not at rest");
  for (const wrong of world.ledger.settle(world.waiting, failing || !complete)) world.problem(wrong);
  const grown = [...before, ...world.entered];
  const same = grown.length === messages.length && grown.every((message, i) => message === messages[i]);
  if (!world.replaced && !same) world.problem("the transcript is not what the events said");
}

function settled(world, { error }, continues) {
  const { grammar } = world;
  if (error) {
    // There was nothing to continue from: nothing happened.
    if (continues && world.events.length === 0 && error.code === "invalid_request") return;
    // A listener failed while it was told of a failure.
    if (grammar.failing && error.message?.startsWith(INJECTED)) return;
    world.problem(`the run failed: ${error.stack ?? error}`);
  } else if (!grammar.complete) world.problem("the run stopped in the middle");
  else if (!grammar.failing && grammar.agentEnds !== grammar.loops) world.problem("agent_end came too often");
}

/** Waits for a run, and does things from outside meanwhile. Undefined: it does not end. */
async function drive(world, run) {
  let outcome;
  run.then(
    () => {
      outcome = {};
    },
    (error) => {
      outcome = { error };
    },
  );
  for (let turns = 0; turns < PATIENCE; turns++) {
    for (let left = 30; left > 0 && outcome === undefined; left--) {
      await null;
      if (world.random.oneIn(4)) world.meddle("the application");
    }
    if (outcome !== undefined) return outcome;
    await turn();
  }
  world.problem("the run does not end");
  return undefined;
}

/** What a user does while nothing runs. */
function betweenRuns(world) {
  const { agent, random } = world;
  const { state } = agent;
  world.meddle("a pause");
  const what = random.below(6);
  if (what === 0) state.messages = world.thinned(state.messages);
  else if (what === 1) state.messages = state.messages.slice(0, random.below(state.messages.length + 1));
  else if (what === 2 && random.oneIn(3)) {
    world.ledger.cleared(world.waiting);
    agent.reset();
  } else if (what === 3) state.model = world.model();
}
