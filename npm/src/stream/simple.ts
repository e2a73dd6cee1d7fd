/** `streamSimple` over the built-in wires. */
import { checkRequest } from "../limits/check.js";
import type { Context, Model, SimpleStreamOptions } from "../types.js";
import type { EngineSource } from "./engine.js";
import { type BuildRequest, Exchange } from "./exchange.js";
import { requestInput, requireKey, requireModel } from "./payload.js";
import type { PumpedStream } from "./pump.js";
import { ResponseStream } from "./stream.js";

/** Asks a model for one answer. */
export type StreamSimple = (model: Model, context: Context, options?: SimpleStreamOptions) => PumpedStream;

/**
 * Makes a `streamSimple` that gets its engine from `source`, in the first call that needs it.
 *
 * The function answers with a stream at once. Whatever goes wrong from then on ends in the stream's `error` event; only
 * a missing key (AgentError `auth`), and a model or an option that makes no sense (`invalid_request`), make it throw.
 */
export function createStreamSimple(source: EngineSource): StreamSimple {
  return (model, context, options = {}) => {
    requireModel(model);
    requireKey(model, options);
    checkRequest(options);
    const build: BuildRequest = (engine, asked, settled) => {
      if (asked !== model) {
        requireModel(asked);
        requireKey(asked, settled);
      }
      return engine.request(requestInput(asked, context, settled));
    };
    return new ResponseStream(new Exchange(source, model, build, options));
  };
}
