import { AgentError } from "../errors.js";
import type { Context, Model, SimpleStreamOptions, StreamFn } from "../types.js";
import { Reply, type Tokens } from "./reply.js";

/** A piece of an answer: a string is text. */
export type Piece =
  | string
  | { text: string }
  | { thinking: string }
  /** `arguments`: an object, or its JSON text. Without an id one is made up. */
  | { toolCall: { id?: string | undefined; name: string; arguments?: object | string | undefined } }
  /** Token counts of the whole answer; the last one counts. */
  | { usage: Tokens }
  /** The answer was cut at its length limit. Only the last piece. */
  | { stop: "length" };

/**
 * Writes one answer.
 *
 * @param context prompt and tools are in its system messages (`getCurrentSystemPrompt`, `getCurrentTools`)
 * @param options `signal` fires when the answer is no longer wanted
 */
export type Generate = (
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
) => AsyncIterable<Piece> | Iterable<Piece>;

/**
 * Makes a stream function of any (async) generator of pieces.
 *
 * What the generator throws becomes an error message that keeps the pieces so far. An abort ends the answer at once, also
 * when the generator does not notice; its `finally` blocks run as soon as it lets them.
 */
export function fromGenerator(generate: Generate): StreamFn {
  return (model, context, options = {}) => {
    const reply = new Reply(model);
    void play(reply, options.signal, () => generate(model, context, options));
    return reply.stream;
  };
}

async function play(
  reply: Reply,
  signal: AbortSignal | undefined,
  generate: () => AsyncIterable<Piece> | Iterable<Piece>,
): Promise<void> {
  let tokens: Tokens | undefined;
  let cut = false;
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    leave = () => reject(signal?.reason);
  });
  aborted.catch(() => {});
  signal?.addEventListener("abort", leave, { once: true });
  let iterator: AsyncIterator<Piece> | Iterator<Piece> | undefined;
  try {
    signal?.throwIfAborted();
    iterator = iteratorOf(generate());
    while (true) {
      const step = await Promise.race([iterator.next(), aborted]);
      if (step.done) break;
      const piece = step.value;
      if (typeof piece === "object" && piece !== null && "usage" in piece) tokens = piece.usage;
      else if (typeof piece === "object" && piece !== null && "stop" in piece) cut = true;
      else write(reply, piece);
    }
    reply.finish(tokens, cut);
  } catch (thrown) {
    reply.fail(thrown, signal?.aborted === true);
    // Not waited for: a generator that does not notice the abort may take its time.
    new Promise((done) => done(iterator?.return?.())).catch(() => {});
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

function iteratorOf(pieces: AsyncIterable<Piece> | Iterable<Piece>): AsyncIterator<Piece> | Iterator<Piece> {
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
}

function write(reply: Reply, piece: Exclude<Piece, { usage: Tokens } | { stop: "length" }>): void {
  if (typeof piece === "string") return reply.text(piece);
  if (typeof piece === "object" && piece !== null) {
    if ("text" in piece) return reply.text(piece.text);
    if ("thinking" in piece) return reply.thinking(piece.thinking);
    if ("toolCall" in piece) {
      const { id, name, arguments: given = {} } = piece.toolCall;
      reply.call(id ?? crypto.randomUUID(), name);
      return reply.callArguments(typeof given === "string" ? given : JSON.stringify(given));
    }
  }
  throw new AgentError(
    "protocol",
    `The generator yielded ${JSON.stringify(piece)}: expected a string, or an object with text, thinking, toolCall, usage or stop`,
  );
}
