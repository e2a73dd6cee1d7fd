/** What applications give, looked at before anything is done with it. */
import { AgentError } from "../errors.js";

/**
 * A slip that a type checker finds would end somewhere inside, and say nothing to whom it happens.
 *
 * @param name of the argument, for the error
 * @param type as `typeof` says it, but for `null` and `array`
 * @returns what was given
 * @throws AgentError `invalid_request`: it is of another type
 */
export function given<T>(value: T, name: string, type = "object"): T {
  const is = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (is !== type)
    throw new AgentError("invalid_request", `${name} has to be of the type ${type}, and is ${is}`);
  return value;
}

/** A store that somebody gives. @throws AgentError `invalid_request`: it is none */
export function givenStore<T extends { commit: unknown }>(store: T): T {
  given(store?.commit, "store.commit", "function");
  return store;
}

/** A session that somebody gives. @throws AgentError `invalid_request`: it is none */
export function givenTree<T extends { getHeader: unknown }>(tree: T, name = "tree"): T {
  given(tree?.getHeader, `${name}.getHeader`, "function");
  return tree;
}
