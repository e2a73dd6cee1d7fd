// The agent of a hostile test: two turns, one tool call, every hook set. A test changes the parts before `make()`.
import { call, model, scripted, toolOf, usageOf, user } from "../shell/scripted.mjs";
import { chatModel, provider } from "./provider.mjs";

export { call, model, toolOf, user };

const HOOKS = [
  "getApiKey",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareRequest",
  "shouldStopAfterTurn",
  "prepareNextTurn",
];

/** Parts of an agent, and what was seen of it. */
export class World {
  /** One answer per request: text, content blocks, or a function that gives one or throws. */
  answers = [[{ type: "text", text: "calling" }, call("k1", "t", { a: 1 })], "done"];
  prompt = "go";
  options = { convertToLlm: (messages) => messages.filter(({ role }) => role !== "note") };
  state = { model };
  tool = toolOf("t", async () => "ok", { prepareArguments: (args) => args });
  /** Called for each event. */
  listener = () => {};
  /** Changes the response of a request. */
  response = (response) => response;
  /** Options of `streamSimple`, which then asks a fake provider for the same answers. */
  http;
  /** What every listener must have seen, and the signal that came with it. */
  events = [];
  signals = [];
  #makers = [];

  constructor(steersman) {
    this.steersman = steersman;
    for (const hook of HOOKS) this.options[hook] = () => undefined;
    this.options.transformContext = (messages) => messages;
    this.tool.execute = async (_id, _args, signal, onUpdate) => this.execute(signal, onUpdate);
    this.state.tools = [this.tool];
  }

  /** What the tool does. */
  execute(_signal, onUpdate) {
    onUpdate({ content: [{ type: "text", text: "half" }], details: {} });
    return { content: [{ type: "text", text: "ok" }], details: {} };
  }

  /** Something to do with the agent once it is there. */
  set made(act) {
    this.#makers.push(act);
  }

  #overHttp() {
    const { fetch = (f) => f, ...more } = this.http;
    const blocks = (answer) => (typeof answer === "string" ? [{ type: "text", text: answer }] : answer);
    const given = { apiKey: "key", fetch: fetch(provider(this.answers.map(blocks))), ...more };
    return (_model, context, options) =>
      this.steersman.streamSimple(chatModel, context, { ...options, ...given });
  }

  /** Makes the agent. */
  make() {
    const streamFn = scripted(this.answers, { usage: usageOf(10, 1) });
    this.requests = streamFn.requests;
    this.agent = new this.steersman.Agent({
      ...this.options,
      initialState: this.state,
      streamFn: this.http ? this.#overHttp() : (...args) => this.response(streamFn(...args)),
    });
    // First, because a listener that throws keeps the event from those after it.
    this.agent.subscribe((event, signal) => {
      this.events.push(event);
      this.signals.push(signal);
    });
    this.agent.subscribe((event, signal) => this.listener(event, signal));
    for (const made of this.#makers) made(this.agent);
    return this.agent;
  }
}

/** Sets a member whatever stands there: another place may have put a getter. */
export const put = (target, name, value) =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });

/** A name for the kind of an event: the role too where that makes a difference. */
export function kindOf(event) {
  const { type, message } = event;
  if (type === "message_start" || type === "message_end") {
    const failed = message?.stopReason === "error" || message?.stopReason === "aborted";
    return `${type} ${failed ? "failed" : message?.role}`;
  }
  if (type === "turn_end" && message?.stopReason === "error") return "turn_end failed";
  return type;
}
