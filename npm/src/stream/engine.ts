/** The wires as the transport sees them: bytes and texts in, batches out. The wasm module implements it. */
import type { AgentErrorCode } from "../errors.js";
import type { AssistantMessage } from "../types.js";

/**
 * What one call made: records of four words (kind, number, start, length) and the text that their ranges index, in
 * UTF-16 units. See {@link KIND}.
 */
export interface WireBatch {
  readonly records: ArrayLike<number>;
  readonly text: string;
}

/** Bytes that can be sent. `Uint8Array` has a parameter in later versions of TypeScript only. */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** A request, ready to be sent. */
export interface WireRequest {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON in UTF-8. */
  readonly body: Bytes;
  /** What {@link WireEngine.open} needs to know about it. */
  readonly reply: string;
}

/** The engine cannot do what is asked. */
export class WireRefusal extends Error {
  override name = "WireRefusal";
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Something that ends when the engine breaks down. */
export interface InFlight {
  /** Called once, outside of the engine; every id is void by then. */
  crash(error: Error): void;
}

/**
 * Requests and responses of the built-in wires. All calls are synchronous and call nothing back. Apart from
 * {@link WireRefusal}, what a call throws is a breakdown of the engine.
 *
 * A response gets {@link head}, {@link push} for every piece of the body and {@link end}; or {@link fail} at any time.
 * Exactly one of all its batches ends with a DONE or ERROR record; later calls give empty batches.
 */
export interface WireEngine {
  /**
   * @param input `{ model, context, options }` as JSON
   * @throws WireRefusal when no request can be made of it
   */
  request(input: string): WireRequest;
  /**
   * Start a response; gives its id.
   *
   * @throws WireRefusal when no built-in wire speaks the model's API
   */
  open(reply: string): number;
  /** Status and headers are there. `contentType` is empty when the header is missing. */
  head(id: number, status: number, contentType: string, statusText: string): WireBatch;
  /** A piece of the body. */
  push(id: number, chunk: Uint8Array): WireBatch;
  /** The body is complete. */
  end(id: number): WireBatch;
  /** It cannot go on: `network` for the transport, `aborted`, `stream_idle`, ... */
  fail(id: number, code: AgentErrorCode, message: string): WireBatch;
  /** Forget the response. */
  close(id: number): void;
  /**
   * Check an answer against a JSON Schema. Gives its value, converted where the schema asks for it.
   *
   * @throws WireRefusal `protocol` with the problems
   */
  structured(schema: object, answer: string): unknown;
  /** Whether an error text speaks of something that may pass by itself. */
  isRetryable(stopReason: string, errorMessage: string): boolean;
  /** Let `item` know when the engine breaks down. */
  track(item: InFlight): void;
  /** It ended by itself. */
  untrack(item: InFlight): void;
}

/** Gives the engine; a promise while it is being loaded. */
export type EngineSource = () => WireEngine | Promise<WireEngine>;

/** Kinds of records; `wire/src/batch.rs` says what each carries. */
export const enum KIND {
  START = 1,
  TEXT_START = 2,
  TEXT_DELTA = 3,
  TEXT_END = 4,
  THINKING_START = 5,
  THINKING_DELTA = 6,
  THINKING_END = 7,
  TOOLCALL_START = 8,
  TOOLCALL_DELTA = 9,
  TOOLCALL_END = 10,
  DONE = 11,
  ERROR = 12,
  MORE = 13,
  FIELDS = 14,
  BLOCK_FIELDS = 15,
  OPEN_OBJECT = 20,
  OPEN_ARRAY = 21,
  KEY = 22,
  STRING = 23,
  APPEND = 24,
  NUMBER = 25,
  TRUE = 26,
  FALSE = 27,
  NULL = 28,
  CLOSE = 29,
  TEXT_SET = 34,
  THINKING_SET = 35,
  PROVIDER_EVENT = 36,
}

/** Words per record. */
export const RECORD = 4;

/** Nothing. */
export const EMPTY_BATCH: WireBatch = { records: [], text: "" };

/** Whether the response is complete with this batch. */
export function isFinal({ records }: WireBatch): boolean {
  const kind = records[records.length - RECORD];
  return kind === KIND.DONE || kind === KIND.ERROR;
}

/** Whether a batch ends in an error, with no block begun in it. */
export function failsBeforeContent({ records }: WireBatch): boolean {
  if (records[records.length - RECORD] !== KIND.ERROR) return false;
  for (let at = 0; at < records.length; at += RECORD) {
    const kind = records[at];
    if (kind === KIND.TEXT_START || kind === KIND.THINKING_START || kind === KIND.TOOLCALL_START)
      return false;
  }
  return true;
}

/** The message of a batch that ends in an error. */
export function errorText({ records, text }: WireBatch): string {
  const start = records[records.length - 2] as number;
  return text.substring(start, start + (records[records.length - 1] as number));
}

/** The code of a batch that ends in an error: the fields before the error name it first. */
export function codeOf({ records, text }: WireBatch): AgentErrorCode {
  for (let at = records.length - RECORD; at >= 0; at -= RECORD) {
    if (records[at] !== KIND.FIELDS) continue;
    const start = records[at + 2] as number;
    const fields = JSON.parse(text.substring(start, start + (records[at + 3] as number)));
    return (fields as AssistantMessage).diagnostics?.[0]?.code ?? "http";
  }
  return "http";
}
