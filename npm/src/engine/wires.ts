/** The built-in wires over the wasm module. */
import {
  forget,
  messageIsOverflow,
  messageIsRetryable,
  responseEnd,
  responseFail,
  responseHead,
  responseOpen,
  responsePush,
  wireRequest,
} from "../../pkg/steersman.js";
import { EngineLoadError } from "../errors.js";
import type { EngineSource } from "../stream/engine.js";
import { createStreamProxy } from "../stream/proxy.js";
import { createStreamSimple } from "../stream/simple.js";
import { wasmVerdicts } from "../stream/verdict.js";
import { wasmEngine } from "../stream/wasm.js";
import { enter, track, untrack } from "./guard.js";
import { ready } from "./load.js";
import { checkedAnswer } from "./validate.js";

// One by one: the whole namespace would bring along what nobody calls.
const wasm = {
  forget,
  messageIsOverflow,
  messageIsRetryable,
  responseEnd,
  responseFail,
  responseHead,
  responseOpen,
  responsePush,
  wireRequest,
};

const wires = wasmEngine(wasm, { enter, track, untrack }, checkedAnswer);

/** Gives the engine, loaded by the first call that needs it. */
const wireSource: EngineSource = () => {
  const loading = ready();
  return loading === undefined ? wires : loading.then(() => wires);
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

const verdicts = wasmVerdicts(() => {
  // A verdict is given at once or not at all.
  const loading = ready();
  if (loading === undefined) return wasm;
  loading.catch(() => {});
  throw new EngineLoadError(
    "wasm_load_failed",
    "The WebAssembly module is not loaded yet: await init() first.",
  );
});

/** Whether asking the same again may help. Check {@link isContextOverflow} first. */
export const isRetryable = verdicts.isRetryable;

/**
 * Whether the input was too long for the model.
 *
 * @param contextWindow tokens, where known: some providers cut the input silently and only the counts show it
 */
export const isContextOverflow = verdicts.isContextOverflow;
