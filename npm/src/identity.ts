import type { ClientIdentity, Model } from "./types.js";

/** What the option `identity` of an agent is merged over, field by field. Without the option nothing is sent. */
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

/**
 * Headers that say whom a request is attributed to. OpenRouter alone has some that are meant for pages; anywhere else an
 * unknown header can make a server refuse the request.
 */
export function attributionHeaders(
  model: Model,
  identity: ClientIdentity | undefined,
): Record<string, string> {
  const { name, url } = identity?.attribution ?? {};
  if (!name || (model.provider !== "openrouter" && !/\bopenrouter\.ai\b/.test(model.baseUrl))) return {};
  return { "X-Title": name, ...(url ? { "HTTP-Referer": url } : {}) };
}
