import type { ClientIdentity } from "./types.js";

/** The identity of agent requests. The option `identity` overrides it field by field. */
export const DEFAULT_AGENT_IDENTITY: ClientIdentity = { attribution: { name: "steersman" } };

/**
 * What a request is sent with: the given identity merged over the default, field by field. Undefined fields are skipped;
 * `attribution: null` turns the attribution off.
 */
export function mergeIdentity(given: ClientIdentity | undefined): ClientIdentity {
  const merged: ClientIdentity = { ...DEFAULT_AGENT_IDENTITY };
  if (given?.userAgent !== undefined) merged.userAgent = given.userAgent;
  if (given?.attribution !== undefined) merged.attribution = given.attribution;
  if (given?.version !== undefined) merged.version = given.version;
  return merged;
}
