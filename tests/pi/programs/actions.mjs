// What an application does to its agent from inside of its own callbacks.
import { randomHooks } from "./hooks.mjs";
import { moody } from "./listeners.mjs";
import { randomStream } from "./model.mjs";
import { thrown } from "./trace.mjs";
import { randomTools } from "./tools.mjs";

const LEVELS = ["off", "low", "high"];
const MODES = ["all", "one-at-a-time"];

/** Low-level runs have a signal and nothing else. */
export function actions(world, name) {
  const { agent, choices, controller } = world;
  if (!agent) {
    if (choices.oneIn(`${name} aborts`, 3)) {
      world.say(`abort in ${name}`);
      controller.abort();
    }
    return;
  }
  const list = Object.keys(ACTIONS);
  const what = list[choices.below(`${name} action`, list.length)];
  // A message that comes after the last poll of a run starts another one here: see docs/events.md.
  if (world.ending && (what === "steer" || what === "followUp")) return;
  world.say(`${what} in ${name}`);
  ACTIONS[what](world, agent, name);
}

const ACTIONS = {
  abort: (_, agent) => agent.abort(),
  steer: (world, agent, name) => void agent.steer(world.message(name)),
  followUp: (world, agent, name) => void agent.followUp(world.message(name)),
  clearSteering: (_, agent) => agent.clearSteeringQueue(),
  clearFollowUps: (_, agent) => agent.clearFollowUpQueue(),
  clearAll: (_, agent) => agent.clearAllQueues(),
  modes(world, agent, name) {
    agent.steeringMode = world.choices.pick(`${name} steering`, MODES);
    agent.followUpMode = world.choices.pick(`${name} follow-up`, MODES);
  },
  model(world, agent, name) {
    agent.state.model = world.model(`${name} model`);
  },
  level(world, agent, name) {
    agent.state.thinkingLevel = LEVELS[world.choices.below(`${name} level`, 3)];
  },
  tools(world, agent, name) {
    agent.state.tools = randomTools(world, `${name} tools`);
  },
  messages(world, agent, name) {
    const { messages } = agent.state;
    agent.state.messages = messages.slice(world.choices.below(`${name} from`, messages.length + 1));
  },
  push: (world, agent, name) => void agent.state.messages.push(world.message(name)),
  pop: (_, agent) => void agent.state.messages.pop(),
  edit(_, agent) {
    const last = agent.state.messages.at(-1);
    if (last?.content) last.content = [{ type: "text", text: "edited" }];
  },
  look: (world) => look(world),
  prompt: (world, agent, name) => refused(world, name, agent, () => agent.prompt("too early")),
  continue: (world, agent, name) => refused(world, name, agent, () => agent.continue()),
  reset: (world, agent, name) => refused(world, name, agent, () => agent.reset()),
  subscribe(world, agent, name) {
    world.unsubscribe.push(agent.subscribe(moody(world, `late listener of ${name}`)));
  },
  unsubscribe: (world) => world.say("unsubscribed", { was: world.unsubscribe.pop()?.() }),
  hooks: (world, agent, name) => void Object.assign(agent, randomHooks(world, `new hooks of ${name}`)),
  streamFunction(world, agent, name) {
    agent.streamFunction = randomStream(world, `model of ${name}`);
  },
  toolExecution(world, agent, name) {
    agent.toolExecution = world.choices.pick(`${name} execution`, ["parallel", "sequential"]);
  },
};

/** Only while a run is in progress: what starts one is said by the program itself. */
function refused(world, name, agent, start) {
  if (!agent.state.isStreaming) return;
  const note = (said) => void world.refusals.push(`${name}: ${said}`);
  const refuse = (error) => note(`refused, ${thrown(error)}`);
  try {
    Promise.resolve(start()).then(() => note("not refused"), refuse);
  } catch (error) {
    refuse(error);
  }
}

/** All that one can ask an agent. */
export function look(world) {
  const { agent, trace } = world;
  const { state } = agent;
  world.say("looks", {
    ...{ ...state, tools: state.tools.map(({ name }) => name) },
    messages: state.messages.map((message) => trace.id(message)),
    streamingMessage: state.streamingMessage,
    signal: agent.signal,
    queued: agent.hasQueuedMessages(),
    next: world.host.old ? [] : agent.peekQueuedMessages().map((message) => trace.id(message)),
    modes: [agent.steeringMode, agent.followUpMode],
  });
}
