import { AgentError } from "./errors.js";

/**
 * A slip in the name of an option would have no effect, and nobody would know why.
 *
 * @param kind what the names are of, for the error
 * @param known an object with exactly the names that exist
 * @throws AgentError `invalid_request` that names the one that does not exist, and those that do
 */
export function checkNames<T extends object>(
  kind: string,
  given: T,
  known: Record<keyof T & string, unknown>,
): void {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(known, name))
      throw new AgentError(
        "invalid_request",
        `There is no ${kind} "${name}"; known: ${Object.keys(known).join(", ")}`,
      );
}
