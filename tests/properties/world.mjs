// What the random parts of one schedule share, and what they can do to the agent.
import { turn } from "../hostile/observe.mjs";
import { INJECTED, Grammar } from "./grammar.mjs";
import { Ledger } from "./ledger.mjs";
import { Random } from "./random.mjs";
import { randomTool } from "./tools.mjs";

const common = {
  api: "openai-completions",
  contextWindow: 100_000,
  maxTokens: 1000,
  input: ["text"],
  reasoning: false,
};
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Models that differ in what their servers accept. */
const MODELS = [
  { id: "a", provider: "local", baseUrl: "http://localhost:1/v1" },
  { id: "b", provider: "openai", baseUrl: "https://api.openai.com/v1", reasoning: true },
  {
    ...{ id: "c", provider: "strict", baseUrl: "http://localhost:2/v1" },
    compat: { requiresToolResultName: true, requiresAssistantAfterToolResult: true },
  },
  {
    ...{ id: "d", provider: "other", baseUrl: "http://localhost:3/v1", input: ["text", "image"] },
    compat: { requiresNonNullAssistantContent: true },
  },
].map((model) => ({ name: model.id, cost, ...common, ...model }));

export class World {
  problems = [];
  /** Lines for a replay. */
  log = undefined;
  /** Events of the run so far, as the first listener saw them, and what the transcript should have got. */
  events = [];
  entered = [];
  /** The transcript was replaced while a run was in progress. */
  replaced = false;
  /** Requests of the run in progress. */
  requests = 0;
  ledger = new Ledger();
  #failures = 0;
  #messages = 0;
  #extra = [];

  /** @param host `{Agent, OldAgent, streamSimple, judge}` */
  constructor(host, seed, logs) {
    this.host = host;
    this.random = new Random(seed);
    this.old = this.random.oneIn(4);
    /** Unlikely things happen once in so many times. */
    this.rarity = this.random.pick([30, 100, 400, 100_000]);
    if (logs) this.log = [];
    this.begin();
  }

  /** A run is about to start. */
  begin() {
    this.grammar = new Grammar(!this.old);
    this.events = [];
    this.entered = [];
    this.requests = 0;
    this.replaced = false;
  }

  say(line) {
    this.log?.push(line());
  }

  problem(what) {
    this.say(() => `PROBLEM ${what}`);
    this.problems.push(what);
  }

  /** Lets others go first: a few microtasks, now and then a whole turn. */
  async wait() {
    if (this.random.oneIn(2)) return;
    for (let left = this.random.below(4); left > 0; left--) await null;
    if (this.random.oneIn(40)) await turn();
  }

  /** Fails now and then, in a place whose failure ends the run. */
  stumble(place) {
    if (!this.random.oneIn(this.rarity * 4)) return;
    this.grammar.failing = true;
    this.#failures++;
    this.say(() => `${place} fails`);
    throw new Error(`${INJECTED} ${this.#failures} in ${place}`);
  }

  /** A message with a text of its own. */
  message() {
    const content = `message ${++this.#messages}`;
    const kind = this.random.below(12);
    const role = kind === 0 ? "notice" : kind === 1 && !this.old ? "system" : "user";
    return { role, content, timestamp: 1 };
  }

  model() {
    return this.random.pick(MODELS);
  }

  tools() {
    return Array.from({ length: this.random.below(4) }, () => randomTool(this));
  }

  /** Messages without some of them, as a user deletes them. */
  thinned(messages) {
    return messages.filter(() => !this.random.oneIn(5));
  }

  get waiting() {
    return this.#both().flat();
  }

  /** What waits in each queue, by looking at all of it. */
  #both() {
    const { agent } = this;
    const modes = [agent.steeringMode, agent.followUpMode];
    agent.steeringMode = agent.followUpMode = "all";
    const queues = this.host.queues(agent);
    [agent.steeringMode, agent.followUpMode] = modes;
    return queues;
  }

  /** Something the application does on its own, now and then. */
  meddle(place) {
    if (!this.random.oneIn(12)) return;
    const { agent, random } = this;
    const what = random.below(18);
    this.say(() => `  in ${place}: action ${what}`);
    if (what >= 1 && what <= 4) {
      if (this.ledger.size >= 10) return;
      const message = this.message();
      this.ledger.queued(message, what < 3 ? agent.steer(message) : agent.followUp(message));
      return;
    }
    switch (what) {
      case 0:
        return agent.abort();
      case 5:
        this.ledger.cleared(this.#both()[0]);
        return agent.clearSteeringQueue();
      case 6:
        this.ledger.cleared(this.#both()[1]);
        return agent.clearFollowUpQueue();
      case 7:
        agent.steeringMode = random.pick(["all", "one-at-a-time"]);
        return undefined;
      case 8:
        agent.followUpMode = random.pick(["all", "one-at-a-time"]);
        return undefined;
      case 9:
        agent.state.model = this.model();
        return undefined;
      case 10:
        agent.state.tools = this.tools();
        return undefined;
      case 11:
        agent.state.thinkingLevel = random.pick(["off", "low", "high"]);
        return undefined;
      case 12:
        return agent.state.isStreaming ? this.#refused() : undefined;
      case 13:
        if (!agent.state.isStreaming) return undefined;
        agent.state.messages = this.thinned(agent.state.messages);
        this.replaced = true;
        return undefined;
      case 14:
        this.#extra.push(agent.subscribe(moody(this)));
        return undefined;
      case 15:
        return void this.#extra.pop()?.();
      case 16:
        return void agent.events().return();
      default:
        return void agent.usage;
    }
  }

  /** What must not start while a run is in progress does not. */
  #refused() {
    const refuse = (promise) =>
      promise.then(
        () => this.problem("a second run was not refused"),
        (error) => error.code === "busy" || this.problem(`a second run was refused with ${error}`),
      );
    void refuse(this.agent.prompt("too early"));
    void refuse(this.agent.continue());
    try {
      this.agent.reset();
      this.problem("a reset was not refused");
    } catch (error) {
      if (error.code !== "busy") this.problem(`a reset was refused with ${error}`);
    }
  }
}

/** A listener that fails, takes its time, or does something to the agent. */
export const moody = (world) => (event) => {
  world.meddle(event.type);
  if (world.random.oneIn(2)) {
    world.stumble(event.type);
    return undefined;
  }
  return (async () => {
    await world.wait();
    world.stumble(event.type);
    world.meddle(event.type);
  })();
};
