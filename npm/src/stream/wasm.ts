/** The engine over the exports of the wasm module. */
import type { AgentErrorCode } from "../errors.js";
import {
  EMPTY_BATCH,
  type InFlight,
  type WireBatch,
  type WireEngine,
  WireRefusal,
  type WireRequest,
} from "./engine.js";

/** The exports of `src/js/stream.rs`. */
export interface WireExports {
  wireRequest(sink: Sink, input: Uint8Array): void;
  responseOpen(sink: Sink, reply: Uint8Array): number;
  responseHead(sink: Sink, key: number, status: number, contentType: string, statusText: string): void;
  responsePush(sink: Sink, key: number, chunk: Uint8Array): void;
  responseEnd(sink: Sink, key: number): void;
  responseFail(sink: Sink, key: number, code: string, message: string): void;
  /** Forgets a response. */
  forget(key: number): void;
  messageIsRetryable(stopReason: string, errorMessage: string): boolean;
  messageIsOverflow(
    stopReason: string,
    errorMessage: string,
    provider: string,
    input: number,
    cacheRead: number,
    output: number,
    window: number,
  ): boolean;
}

/** The way into the module, which notices when it breaks down. */
export interface Guard {
  enter<T>(call: () => T): T;
  track(item: InFlight): void;
  untrack(item: InFlight): void;
}

/** Takes what an export makes; the views it is given are void once the export has returned, so it copies. */
class Sink {
  #batch: WireBatch = EMPTY_BATCH;
  #request: WireRequest | undefined;
  #refusal: WireRefusal | undefined;

  _batch(records: Uint32Array, text: string): void {
    this.#batch = { records: records.slice(), text };
  }

  _one(kind: number, a: number, text: string): void {
    this.#batch = { records: [kind, a, 0, text.length], text };
  }

  _request(url: string, headers: string, body: Uint8Array, reply: Uint8Array): void {
    const list = JSON.parse(headers) as [string, string][];
    this.#request = { url, headers: list, body: new Uint8Array(body), reply: new Uint8Array(reply) };
  }

  _refuse(code: string, message: string): void {
    this.#refusal = new WireRefusal(code as AgentErrorCode, message);
  }

  takeBatch(): WireBatch {
    const batch = this.#batch;
    this.#batch = EMPTY_BATCH;
    return batch;
  }

  takeRequest(): WireRequest {
    const request = this.#request;
    this.#request = undefined;
    if (request === undefined) throw this.takeRefusal();
    return request;
  }

  takeRefusal(): WireRefusal {
    const refusal = this.#refusal ?? new WireRefusal("internal", "The engine gave no answer.");
    this.#refusal = undefined;
    return refusal;
  }
}

/** Makes an engine of the module's exports. `checkAnswer` is its {@link WireEngine.structured}. */
export function wasmEngine(
  exports: WireExports,
  guard: Guard,
  checkAnswer: WireEngine["structured"],
): WireEngine {
  const sink = new Sink();
  // A trap may leave something of the call that failed.
  const batchOf = (call: () => void): WireBatch => {
    sink.takeBatch();
    guard.enter(call);
    return sink.takeBatch();
  };
  return {
    request(input) {
      guard.enter(() => exports.wireRequest(sink, input));
      return sink.takeRequest();
    },
    open(reply) {
      const key = guard.enter(() => exports.responseOpen(sink, reply));
      if (key === 0) throw sink.takeRefusal();
      return key;
    },
    head: (id, status, contentType, statusText) =>
      batchOf(() => exports.responseHead(sink, id, status, contentType, statusText)),
    push: (id, chunk) => batchOf(() => exports.responsePush(sink, id, chunk)),
    end: (id) => batchOf(() => exports.responseEnd(sink, id)),
    fail: (id, code, message) => batchOf(() => exports.responseFail(sink, id, code, message)),
    close: (id) => guard.enter(() => exports.forget(id)),
    structured: checkAnswer,
    isRetryable: (stopReason, errorMessage) =>
      guard.enter(() => exports.messageIsRetryable(stopReason, errorMessage)),
    track: (item) => guard.track(item),
    untrack: (item) => guard.untrack(item),
  };
}
