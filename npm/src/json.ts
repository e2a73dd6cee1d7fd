import { describe } from "./engine/describe.js";
import { AgentError } from "./errors.js";

/**
 * A value of the application as JSON.
 *
 * @param what the value, for the error
 * @throws AgentError `invalid_request` that names the place of what cannot be written: a cycle, a BigInt, a getter or a
 *   `toJSON` that throws
 */
export function toJson(value: unknown, what: string): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const words = `${what} cannot be written as JSON: ${placeOf(value)}${describe(error)}`;
    throw new AgentError("invalid_request", words, { cause: error });
  }
}

/** Whether something can be read and written as JSON. */
export function isJson(value: () => unknown): boolean {
  try {
    JSON.stringify(value());
    return true;
  } catch {
    return false;
  }
}

/** Enough levels to find a place, and too few to take long where the levels themselves are what is too much. */
const DEEPEST = 50;

/** Where in a value something cannot be written: the way to the innermost of those that hold it. */
function placeOf(value: unknown): string {
  const seen = new Set();
  let place = "";
  try {
    for (let at = value as { [name: string]: unknown }; !seen.has(at) && seen.size < DEEPEST; ) {
      seen.add(at);
      const name = Object.keys(at).find((name) => !isJson(() => at[name]));
      if (name === undefined) break;
      place += `${place && "."}${name}`;
      at = at[name] as typeof at;
    }
  } catch {
    // A getter that throws, or something without members: it is named already.
  }
  return place && `${place}: `;
}
