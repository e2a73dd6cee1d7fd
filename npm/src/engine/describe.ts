/**
 * Text for any thrown value. Total: it never throws, whatever getters, proxies or `toString` do, and it is not empty.
 *
 * An `Error` of any realm gives its message, as pi does for its own realm. A plain object in the form of an error gives
 * its message too, another object its JSON, because `[object Object]` tells nobody anything. The rest is `String(value)`.
 */
export function describe(thrown: unknown): string {
  try {
    if (isError(thrown)) return String(thrown.message || thrown.name || "Error");
    const text = String(thrown);
    if (!text.startsWith("[object ")) return text || "an empty text was thrown";
    const { message } = thrown as { message?: unknown };
    if (typeof message === "string" && message !== "") return message;
    return JSON.stringify(thrown) ?? text;
  } catch {
    return "something was thrown that cannot be shown";
  }
}

/** Whether a value is an error, also one of another realm (an iframe), for which `instanceof` says no. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  return Object.prototype.toString.call(value) === "[object Error]";
}

/** Whether a value can be awaited. May throw when `then` is a getter that throws; callers treat that as the value's fault. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === undefined || value === null) return false;
  if (typeof value !== "object" && typeof value !== "function") return false;
  return typeof (value as { then?: unknown }).then === "function";
}
