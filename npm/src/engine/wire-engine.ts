/** The built-in wires over the exports of the wasm module (`src/js/stream.rs`). */
import * as wasm from "../../pkg/steersman.js";
import type { AgentErrorCode } from "../errors.js";
import {
  EMPTY_BATCH,
  type WireBatch,
  type WireEngine,
  WireRefusal,
  type WireRequest,
} from "../stream/engine.js";
import { enter, track, untrack } from "./guard.js";
import { checkedAnswer } from "./validate.js";

let batch: WireBatch = EMPTY_BATCH;
let request: WireRequest | undefined;
let refusal: WireRefusal | undefined;

/** Takes what an export makes; the views it is given are void once the export has returned, so it copies. */
const sink = {
  _batch(records: Uint32Array, text: string): void {
    batch = { records: records.slice(), text };
  },
  _one(kind: number, a: number, text: string): void {
    batch = { records: [kind, a, 0, text.length], text };
  },
  _request(url: string, headers: string, body: Uint8Array, reply: string): void {
    const list = JSON.parse(headers) as [string, string][];
    request = { url, headers: list, body: new Uint8Array(body), reply };
  },
  _refuse(code: string, message: string): void {
    refusal = new WireRefusal(code as AgentErrorCode, message);
  },
};

function takeBatch(): WireBatch {
  const taken = batch;
  batch = EMPTY_BATCH;
  return taken;
}

function takeRefusal(): WireRefusal {
  const taken = refusal ?? new WireRefusal("internal", "The engine gave no answer.");
  refusal = undefined;
  return taken;
}

/** What a call makes. A trap may have left something of the call that failed. */
function batchOf(call: () => void): WireBatch {
  takeBatch();
  enter(call);
  return takeBatch();
}

export const wireEngine: WireEngine = {
  request(input) {
    enter(() => wasm.wireRequest(sink, input));
    const made = request;
    request = undefined;
    if (made === undefined) throw takeRefusal();
    return made;
  },
  open(reply) {
    const key = enter(() => wasm.responseOpen(sink, reply));
    if (key === 0) throw takeRefusal();
    return key;
  },
  head: (id, status, contentType, statusText) =>
    batchOf(() => wasm.responseHead(sink, id, status, contentType, statusText)),
  push: (id, chunk) => batchOf(() => wasm.responsePush(sink, id, chunk)),
  end: (id) => batchOf(() => wasm.responseEnd(sink, id)),
  fail: (id, code, message) => batchOf(() => wasm.responseFail(sink, id, code, message)),
  close: (id) => enter(() => wasm.forget(id)),
  structured: checkedAnswer,
  isRetryable: (stopReason, errorMessage) => enter(() => wasm.messageIsRetryable(stopReason, errorMessage)),
  track,
  untrack,
};
