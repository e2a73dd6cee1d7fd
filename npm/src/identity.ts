import type { ClientIdentity, Model, SimpleStreamOptions } from "./types.js";

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
 * The headers of a request, with those that say whom it is attributed to. OpenRouter alone has some that are meant for
 * pages; anywhere else an unknown header can make a server refuse the request.
 */
export function attributed(model: Model, options: SimpleStreamOptions): SimpleStreamOptions["headers"] {
  const { headers, identity } = options;
  const { name, url } = identity?.attribution ?? {};
  if (!name || !/^openrouter |\bopenrouter\.ai\b/.test(`${model.provider} ${model.baseUrl}`)) return headers;
  return { "X-Title": name, ...(url && { "HTTP-Referer": url }), ...model.headers, ...headers };
}
