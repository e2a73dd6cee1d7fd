/** The built-in wires, loaded by the first call that needs them. */
import type { EngineSource } from "../stream/engine.js";
import { createStreamProxy } from "../stream/proxy.js";
import { createStreamSimple } from "../stream/simple.js";
import { ready } from "./load.js";
import { wireEngine } from "./wire-engine.js";

export { isContextOverflow, isRetryable } from "./verdict.js";

const wireSource: EngineSource = () => {
  const loading = ready();
  return loading === undefined ? wireEngine : loading.then(() => wireEngine);
};

/**
 * Asks a model for one answer over HTTP, by the wire that `model.api` names. Answers with a stream at once; whatever goes
 * wrong ends in its `error` event.
 *
 * @throws AgentError `auth` when there is neither a key nor a header in its place
 */
export const streamSimple = createStreamSimple(wireSource);

/**
 * Asks a model for one answer through a server of the application, which holds the provider's key: `POST
 * {proxyUrl}/api/stream`. Answers with a stream at once; whatever goes wrong ends in its `error` event.
 */
export const streamProxy = createStreamProxy(wireSource);
