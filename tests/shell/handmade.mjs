// A response that a test writes event by event.
import { usageOf } from "./scripted.mjs";
import { deferred } from "./time.mjs";

/**
 * A response that a test writes by hand. It never reacts to its signal.
 *
 * @param options `left`: what leaving its iteration waits for; nothing ever comes of it unless said otherwise
 */
export function handmade({ left = new Promise(() => {}) } = {}) {
  const queue = [];
  let wake = () => {};
  const made = { returned: 0, signal: undefined };
  const result = deferred();
  const partial = {
    ...{ role: "assistant", api: "a", provider: "p", model: "m", usage: usageOf(5, 0), timestamp: 2 },
    ...{ content: [], stopReason: "pending" },
  };
  const push = (event) => {
    queue.push({ partial, ...event });
    wake();
  };
  const stream = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        while (queue.length === 0) await new Promise((resolve) => (wake = resolve));
        const value = queue.shift();
        return value.type === "end" ? { done: true, value: undefined } : { done: false, value };
      },
      return() {
        made.returned++;
        return left;
      },
    }),
    result: () => result.promise,
  };
  const text = (delta) => {
    if (partial.content.length === 0) {
      partial.content.push({ type: "text", text: "" });
      push({ type: "text_start", contentIndex: 0 });
    }
    partial.content[0].text += delta;
    push({ type: "text_delta", contentIndex: 0, delta });
  };
  const finish = () => {
    const message = { ...partial, stopReason: "stop" };
    result.resolve(message);
    push({ type: "done", reason: "stop", message });
  };
  const streamFn = (_model, _context, options) => {
    made.signal = options.signal;
    return stream;
  };
  return Object.assign(made, { streamFn, push, text, finish, result, partial });
}
