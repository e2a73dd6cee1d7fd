// The model: has every request judged as a server would, and answers with anything a stream may be.
import { chunksOf, provider, sse, streamed } from "../hostile/provider.mjs";
import { NAMES } from "./tools.mjs";

/** Most requests of a run; then the model wants no more tools. */
const MOST_REQUESTS = 8;

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } };

const failed = ({ stopReason }) => stopReason === "error" || stopReason === "aborted";

/**
 * Whether the application itself left a conversation that nothing can be asked about: it ends with an answer, or with
 * the result of a call that is not there any more, or it is empty.
 */
function endsOpen(messages) {
  const others = messages.filter(({ role }) => role !== "system");
  const ids = [];
  while (others.at(-1)?.role === "toolResult") ids.push(others.pop().toolCallId);
  const before = others.at(-1);
  if (before === undefined) return true;
  if (ids.length === 0) return before.role === "assistant";
  const calls = before.role === "assistant" ? before.content.filter(({ type }) => type === "toolCall") : [];
  return failed(before) || !calls.some(({ id }) => ids.includes(id));
}

/** What the built-in wire makes of a request must be acceptable. */
async function check(world, model, context) {
  let body;
  const fetch = async (_url, init) => {
    body = JSON.parse(new TextDecoder().decode(init.body));
    return streamed([sse(chunksOf([{ type: "text", text: "ok" }]))]);
  };
  const { errorMessage } = await world.host.streamSimple(model, context, { apiKey: "k", fetch }).result();
  if (body === undefined) return world.problem(`no request can be built: ${errorMessage}`);
  world.say(() => `body ${JSON.stringify(body)}`);
  if (endsOpen(context.messages)) close(body);
  for (const problem of world.host.judge(body, model)) world.problem(`request ${world.requests}: ${problem}`);
}

/** What is missing at the end is the application's doing; the rest of the list must be right all the same. */
function close({ messages }) {
  if (messages.at(-1)?.role === "tool") messages.push({ role: "assistant", content: "Well." });
  messages.push({ role: "user", content: "Go on." });
}

/** The stream function of a schedule. */
export const randomModel = (world) => async (model, context, options) => {
  world.requests++;
  world.say(() => `request ${world.requests}`);
  await check(world, model, context);
  // Some answers come through the built-in wire.
  if (world.random.oneIn(4)) return overHttp(world, model, context, options);
  return new Answer(world, model, options.signal);
};

function overHttp(world, model, context, options) {
  const { random } = world;
  const content = [];
  for (let blocks = random.below(4); blocks > 0; blocks--) {
    const kind = random.below(world.requests < MOST_REQUESTS ? 4 : 2);
    if (kind === 0) content.push({ type: "text", text: "words " });
    else if (kind === 1) content.push({ type: "thinking", thinking: "hm" });
    else content.push(callOf(random));
  }
  const text = sse(chunksOf(content), random.oneIn(6) ? "" : undefined);
  const cut = random.below(text.length);
  const answer = () =>
    random.oneIn(12) ? new Response("{}", { status: 500 }) : streamed([text.slice(0, cut), text.slice(cut)]);
  return world.host.streamSimple(model, context, { ...options, apiKey: "k", fetch: provider([answer]) });
}

/** A call of a tool that may not exist, with an id that may be odd or in use, and arguments that may be wrong. */
function callOf(random) {
  const odd = ["", "same", "call|item", "späte Idee", "long_".repeat(20)];
  const id = odd[random.below(12)] ?? `call_${random.below(1_000_000)}`;
  const name = random.oneIn(8) ? "unknown" : random.pick(NAMES);
  const given = [{ n: 1 }, { n: "2", s: "x" }, { n: "soon" }, {}, { n: null }];
  return { type: "toolCall", id, name, arguments: { ...random.pick(given) } };
}

/** A response of the application's own making. */
class Answer {
  #world;
  #signal;
  #message;
  #settle;
  #result = new Promise((resolve) => {
    this.#settle = resolve;
  });

  constructor(world, { api, provider: from, id }, signal) {
    this.#world = world;
    this.#signal = signal;
    const origin = { api, provider: from, model: id };
    this.#message = { role: "assistant", content: [], ...origin, usage, stopReason: "pending", timestamp: 1 };
  }

  result() {
    return this.#result;
  }

  async *[Symbol.asyncIterator]() {
    const { random } = this.#world;
    const partial = this.#message;
    await this.#world.wait();
    // Everything at once, or nothing: no event before the last.
    if (random.oneIn(10)) return yield this.#end(this.#whole());
    if (random.oneIn(20)) yield { type: "text_start", contentIndex: 0, partial };
    yield { type: "start", partial };
    for (let contentIndex = 0, blocks = random.below(5); contentIndex < blocks; contentIndex++) {
      if (await this.#cut()) break;
      yield* this.#block(contentIndex, random.below(this.#wantsTools ? 4 : 2));
    }
    // Without a last event the message counts that result() gives.
    if (random.oneIn(30)) this.#end();
    else yield this.#end();
  }

  async *#block(contentIndex, kind) {
    const partial = this.#message;
    if (kind === 0) {
      const block = { type: "text", text: "" };
      partial.content.push(block);
      yield { type: "text_start", contentIndex, partial };
      block.text += "words ";
      yield { type: "text_delta", contentIndex, delta: "words ", partial };
      if (!(await this.#cut())) yield { type: "text_end", contentIndex, content: block.text, partial };
    } else if (kind === 1) {
      const block = { type: "thinking", thinking: "" };
      partial.content.push(block);
      yield { type: "thinking_start", contentIndex, partial };
      block.thinking += "hm";
      yield { type: "thinking_delta", contentIndex, delta: "hm", partial };
      yield { type: "thinking_end", contentIndex, content: "hm", partial };
    } else {
      const toolCall = callOf(this.#world.random);
      partial.content.push(toolCall);
      yield { type: "toolcall_start", contentIndex, partial };
      yield { type: "toolcall_delta", contentIndex, delta: JSON.stringify(toolCall.arguments), partial };
      if (!(await this.#cut())) yield { type: "toolcall_end", contentIndex, toolCall, partial };
    }
  }

  /** Waits; tells whether the stream breaks off here. */
  async #cut() {
    await this.#world.wait();
    this.#world.meddle("a stream");
    return this.#signal?.aborted && !this.#world.random.oneIn(4);
  }

  get #wantsTools() {
    return this.#world.requests < MOST_REQUESTS;
  }

  #whole() {
    const { random } = this.#world;
    if (random.oneIn(2)) this.#message.content.push({ type: "text", text: "at once" });
    if (this.#wantsTools && random.oneIn(2)) this.#message.content.push(callOf(random));
  }

  /** The last event, with the message settled. */
  #end() {
    const message = this.#message;
    const calls = message.content.some(({ type }) => type === "toolCall");
    const draw = this.#world.random.below(12);
    if (this.#signal?.aborted && draw > 0) message.stopReason = "aborted";
    else if (draw === 0) message.stopReason = "error";
    else if (draw === 1 && this.#wantsTools) message.stopReason = "length";
    else message.stopReason = calls ? "toolUse" : "stop";
    if (failed(message)) message.errorMessage = "the stream broke";
    this.#settle(message);
    return failed(message)
      ? { type: "error", reason: message.stopReason, error: message }
      : { type: "done", reason: message.stopReason, message };
  }
}
