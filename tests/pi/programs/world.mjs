// What the parts of one program share.
import { actions } from "./actions.mjs";
import { Choices } from "./choices.mjs";
import { Clock } from "./clock.mjs";
import { thrown, Trace } from "./trace.mjs";

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
export const usage = () => ({ ...zero, totalTokens: 0, cost: { ...zero, total: 0 } });

/** Most requests of a program; then the model wants no more. */
export const MOST_REQUESTS = 12;

/** An object without a text of its own gets a better one here than pi's `[object Object]`: see docs/migration.md. */
const NOT_ERRORS = ["a text", undefined, null, 7, { toString: () => "an object" }];

export class World {
  clock = new Clock();
  trace = new Trace(this.clock);
  /** Set in programs around an `Agent`. */
  agent = undefined;
  requests = 0;
  /** The abort controller of low-level runs. */
  controller = new AbortController();
  unsubscribe = [];
  /** What came of operations that have to be refused; how soon one hears of it is nobody's business. */
  refusals = [];
  /** What is going on that one may not do everything in: between the last poll of a run and its end. */
  ending = false;
  /** A stream of events is read later: what it shows must not change meanwhile. */
  copies = false;
  #messages = 0;

  /**
   * @param host what is exported, and which version it is
   * @param calm names of choices that are taken back
   */
  constructor(host, seed, calm) {
    this.host = host;
    this.choices = new Choices(seed, calm);
  }

  say(what, fields) {
    this.trace.say(what, fields);
  }

  /** A message with a text of its own. */
  message(place) {
    const { choices } = this;
    const name = choices.name(`message in ${place}`);
    const content = `message ${++this.#messages} of ${name}`;
    const common = { content, timestamp: this.#messages };
    // Not in queues: there `undefined` bars the way in pi, and a text is a message here.
    if (!this.host.old && /^(prompts|run \d+)$/.test(place) && choices.oneIn(`${name} is none`, 40)) {
      return choices.pick(`${name} but`, [undefined, null, "text", {}]);
    }
    switch (
      choices.pick(`${name} kind`, ["user", "user", "blocks", "blocks", "notice", "system", "assistant"])
    ) {
      case "blocks":
        return { role: "user", ...common, content: [{ type: "text", text: content }] };
      case "notice":
        return { role: "notice", ...common };
      case "system":
        return this.host.old ? { role: "user", ...common } : this.#system(name, common);
      case "assistant":
        return this.answer([{ type: "text", text: content }], { timestamp: common.timestamp });
      default:
        return { role: "user", ...common };
    }
  }

  #system(name, common) {
    const message = { role: "system", ...common };
    if (this.choices.oneIn(`${name} adds`, 4)) message.toolsAdded = [declaration("read")];
    if (this.choices.oneIn(`${name} removes`, 4)) message.toolsRemoved = [declaration("write")];
    if (this.choices.oneIn(`${name} sections`, 4)) message.sections = { date: "today", [name]: "x" };
    return message;
  }

  /** An assistant message. */
  answer(content, fields = {}) {
    const stopReason = content.some((block) => block?.type === "toolCall") ? "toolUse" : "stop";
    const model = { api: "scripted", provider: "mock", model: "m1" };
    return { role: "assistant", content, ...model, usage: usage(), stopReason, ...fields };
  }

  model(name) {
    return modelOf(this.choices.pick(name, ["m1", "m2", "m3"]));
  }

  /** Waits: not at all, for others that are ready, or for some time. */
  async pause(name) {
    const how = this.choices.pick(`${name} waits`, ["not", "not", "turn", "long"]);
    if (how === "not") return;
    await this.clock.sleep(this.choices.below(`${name} waiting`, 1e9) / (how === "long" ? 1e6 : 1e9));
  }

  /** Throws now and then. */
  stumble(name, n = 60) {
    if (!this.choices.oneIn(`${name} fails`, n)) return;
    if (this.choices.oneIn(`${name} fails oddly`, 4)) {
      throw NOT_ERRORS[this.choices.below(`${name} what`, NOT_ERRORS.length)];
    }
    throw new Error(`failed: ${name}`);
  }

  /** Does something to the agent now and then. */
  act(name, n = 10) {
    if (this.choices.oneIn(`${name} acts`, n)) actions(this, name);
  }

  /** A callback: it acts, waits and fails, before it gives what `body` gives. Synchronous or not. */
  callback(name, body, { rarity = 60, sync = true } = {}) {
    if (sync && this.choices.oneIn(`${name} is sync`, 3)) {
      this.act(name);
      this.stumble(name, rarity);
      return body();
    }
    return (async () => {
      this.act(name);
      await this.pause(name);
      this.act(`${name} later`);
      this.stumble(name, rarity);
      return body();
    })();
  }

  /** Notes how an operation of the program ends. */
  async outcome(what, start) {
    this.say(what);
    try {
      const value = await start();
      this.say(`${what} is done`, { value });
    } catch (error) {
      this.say(`${what} rejects`, { error: thrown(error) });
    }
  }
}

export const declaration = (name) => ({
  name,
  description: `tool ${name}`,
  parameters: { type: "object", properties: {} },
});

export const modelOf = (id) => ({
  ...{
    id,
    name: id,
    api: "scripted",
    provider: `of ${id}`,
    baseUrl: "http://model.invalid",
    reasoning: true,
  },
  ...{ input: ["text", "image"], cost: zero, contextWindow: 1000, maxTokens: 100 },
});
