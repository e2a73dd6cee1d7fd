// One random program: what it does and what it saw.
import { actions, look } from "./actions.mjs";
import { lowHooks, randomHooks } from "./hooks.mjs";
import { moody, recorder } from "./listeners.mjs";
import { randomCall, randomStream } from "./model.mjs";
import { thrown } from "./trace.mjs";
import { randomTools } from "./tools.mjs";
import { World } from "./world.mjs";

const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/**
 * Plays the program of a seed.
 *
 * @param host `{ pi, old }`: the exports of a package, and whether they are those of 0.85.1
 * @param calm names of choices that are taken back
 * @returns the lines of the program, whether it came to its end, and the names of its choices
 */
export async function play(host, seed, calm) {
  unhandled.length = 0;
  const world = new World(host, seed, calm);
  // 0.85.1 cannot call a tool alone.
  const kinds = ["agent", "agent", "agent", "run", "loop", host.old ? "agent" : "tool"];
  const api = kinds[world.choices.below("api", kinds.length)];
  world.copies = api === "loop";
  let done = false;
  const programs = { agent: agentProgram, run: lowProgram, loop: lowProgram, tool: toolProgram };
  const main = programs[api](world, api).then(
    () => {
      done = true;
    },
    (error) => {
      world.say("the program fails", { error: thrown(error) });
      done = true;
    },
  );
  const ended = await world.clock.run(() => done);
  if (ended) await main;
  world.say("refusals", world.refusals.sort());
  for (const reason of unhandled) world.say("unhandled", { error: thrown(reason) });
  return { api, lines: world.trace.lines, ended, wild: world.choices.wild };
}

function optionsOf(world) {
  const { choices } = world;
  const field = (name, values) => {
    const value = choices.pick(`option ${name}`, [undefined, ...values]);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...field("sessionId", ["s1"]),
    ...field("thinkingBudgets", [{ low: 5 }]),
    ...field("transport", ["sse", "websocket"]),
    ...field("maxRetryDelayMs", [0, 10]),
    ...field("toolExecution", ["sequential", "parallel"]),
  };
}

async function agentProgram(world) {
  const { choices, host } = world;
  const history = Array.from({ length: choices.pick("history", [0, 1, 2, 4]) }, () =>
    world.message("history"),
  );
  const initialState = {
    model: world.model("model"),
    systemPrompt: choices.pick("system prompt", ["", "Be brief.", undefined]),
    thinkingLevel: choices.pick("level", ["off", "high"]),
    tools: randomTools(world, "tools"),
    messages: history,
  };
  for (const name of Object.keys(initialState)) {
    if (choices.oneIn(`without ${name}`, 15)) delete initialState[name];
  }
  const streamFn = randomStream(world, "model");
  const byDefault = choices.oneIn("default stream function", 8);
  host.pi.setDefaultStreamFn?.(byDefault ? streamFn : undefined);
  const agent = new host.pi.Agent({
    ...(choices.oneIn("without initial state", 20) ? {} : { initialState }),
    ...(byDefault ? {} : { streamFn }),
    ...optionsOf(world),
    steeringMode: choices.pick("steering mode", ["one-at-a-time", "all"]),
    followUpMode: choices.pick("follow-up mode", ["one-at-a-time", "all"]),
    ...randomHooks(world, "hooks"),
  });
  world.agent = agent;
  host.pi.setDefaultStreamFn?.(undefined);
  look(world);
  if (choices.oneIn("early listener", 4)) agent.subscribe(moody(world, "early listener"));
  agent.subscribe(recorder(world, "recorder"));
  if (choices.oneIn("second listener", 3)) agent.subscribe(moody(world, "second listener"));
  for (let run = 1 + choices.below("runs", 3); run > 0; run--) await oneRun(world, `run ${run}`);
  look(world);
  world.say("transcript", { messages: agent.state.messages });
}

/** A run, what is done from outside meanwhile, and what is done after it. */
async function oneRun(world, name) {
  const { agent, choices } = world;
  const running = world.outcome(name, () => start(world, name));
  for (let left = choices.below(`${name} visits`, 4); left > 0; left--) {
    await world.clock.sleep(1 + choices.below(`${name} visit ${left}`, 1e9) / 3e7);
    world.act(`${name} visit ${left}`, 1);
  }
  if (choices.oneIn(`${name} waits`, 3)) await world.outcome(`${name} idle`, () => agent.waitForIdle());
  await running;
  world.ending = false;
  look(world);
  if (choices.oneIn(`${name} pause`, 3)) actions(world, `after ${name}`);
  if (choices.oneIn(`${name} reset`, 8)) {
    agent.reset();
    look(world);
  }
}

function start(world, name) {
  const { agent, choices } = world;
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  switch (
    choices.pick(`${name} starts`, ["text", "text", "message", "messages", "images", "continue", "odd"])
  ) {
    case "message":
      return agent.prompt(world.message(name));
    case "messages":
      return agent.prompt(
        Array.from({ length: choices.below(`${name} many`, 4) }, () => world.message(name)),
      );
    case "images":
      return agent.prompt("look at this", [image, image]);
    case "continue":
      return agent.continue();
    case "odd":
      return agent.prompt(choices.pick(`${name} odd`, ["", "", { role: "odd" }]), []);
    default:
      return agent.prompt(`prompt of ${name}`);
  }
}

async function lowProgram(world, api) {
  const { choices, host, controller } = world;
  const history = Array.from({ length: choices.pick("history", [1, 0, 2, 4]) }, () =>
    world.message("history"),
  );
  const context = { messages: history, tools: randomTools(world, "tools") };
  if (host.old) context.systemPrompt = "Be brief.";
  if (choices.oneIn("no tools", 8)) delete context.tools;
  const config = {
    model: world.model("model"),
    ...optionsOf(world),
    ...(choices.oneIn("reasoning", 3) ? { reasoning: "high" } : {}),
    ...(choices.oneIn("key", 3) ? { apiKey: "given" } : {}),
    ...lowHooks(world, "hooks"),
  };
  if (choices.oneIn("frozen", 8))
    for (const given of [config, context, context.messages]) Object.freeze(given);
  const signal = choices.oneIn("no signal", 6) ? undefined : controller.signal;
  const streamFn = randomStream(world, "model");
  const ids = (messages) => messages.map((message) => world.trace.id(message));
  for (let run = 1; run <= choices.pick("runs", [1, 1, 2]); run++) {
    const prompts = Array.from({ length: choices.pick(`prompts ${run}`, [1, 2, 0, 3]) }, () =>
      world.message("prompts"),
    );
    const visits = visit(world, `visits ${run}`);
    const continues = choices.oneIn(`continues ${run}`, 3);
    const given = continues ? [context, config] : [prompts, context, config];
    const start = host.pi[NAMES[api][continues ? 1 : 0]];
    await world.outcome(api, async () => {
      const added =
        api === "run"
          ? await start(...given, recorder(world, "recorder"), signal, streamFn)
          : await read(world, start(...given, signal, streamFn));
      return { added: ids(added), context: ids(context.messages), prompts: prompts.length };
    });
    await visits;
  }
}

const NAMES = { run: ["runAgentLoop", "runAgentLoopContinue"], loop: ["agentLoop", "agentLoopContinue"] };

async function visit(world, name) {
  for (let left = world.choices.below(name, 3); left > 0; left--) {
    await world.clock.sleep(1 + world.choices.below(`${name} ${left}`, 1e9) / 3e7);
    world.act(`${name} ${left}`, 1);
  }
}

/** Reads a stream of events: to its end, or not at all. */
async function read(world, stream) {
  if (!world.choices.oneIn("only the result", 8))
    for await (const event of stream) world.say(`event ${event.type}`, event);
  const added = await stream.result();
  world.say("loop has ended", { added });
  return added;
}

/** Calls of a tool without a run around them. */
async function toolProgram(world) {
  const { choices, host, controller } = world;
  const tools = randomTools(world, "tools");
  for (let count = 3; count > 0; count--) {
    const place = `call ${count}`;
    const toolCall = randomCall(world, place, { id: `only ${count}`, number: count });
    const options = {
      assistantMessage: world.answer([toolCall]),
      context: choices.oneIn(`${place} in context`, 2) ? { messages: [], tools } : { messages: [] },
      ...(choices.oneIn(`${place} with tools`, 3) ? { tools } : {}),
      ...(choices.oneIn(`${place} without signal`, 3) ? {} : { signal: controller.signal }),
      ...(choices.oneIn(`${place} is told`, 2)
        ? { onUpdate: (partial) => world.say(`update of ${place}`, { partial }) }
        : {}),
      ...lowHooks(world, `hooks of ${place}`),
    };
    const visits = visit(world, `visits of ${place}`);
    await world.outcome(`tool ${place}`, () => host.pi.runToolCall(toolCall, options));
    await visits;
  }
}
