/**
 * One HTTP exchange over fetch: sends, reads the body piece by piece, and lets go of the connection as soon as nobody
 * wants more of it.
 */
import { AgentError } from "../errors.js";
import { isRedirect, NOT_FOLLOWED, redirected } from "./redirect.js";
import { PolicyWatch, parse, unreachable, withCause } from "./unreachable.js";

/** The network failed, or did not get going; the message is for people. */
export class TransportError extends Error {
  override name = "TransportError";
}

/** What became of a read: a piece, the end of the body, the failure of the connection, or nothing: it was closed. */
export type Piece = Uint8Array | "end" | "closed" | TransportError;

/** How long a finished body may take to end by itself before the connection is given up. Milliseconds. */
const GRACE = 20;

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type HeaderList = readonly (readonly [string, string])[];

const NO_RESPONSE = "The given fetch answered with something that is no Response.";

/**
 * What a response says before its body. A `fetch` of the application may answer with anything.
 *
 * @throws TransportError when it is no response
 */
export function headOf(response: Response): { status: number; type: string; statusText: string } {
  try {
    const { status, statusText } = response;
    const type = response.headers.get("content-type");
    if (typeof status !== "number") throw new TransportError(NO_RESPONSE);
    return {
      status,
      type: typeof type === "string" ? type : "",
      statusText: typeof statusText === "string" ? statusText : "",
    };
  } catch {
    throw new TransportError(NO_RESPONSE);
  }
}

/** One request and its response. */
export class Transport {
  /** Own, and fired without a reason: what a reason of the caller does inside a fetch is not ours to find out. */
  readonly #controller = new AbortController();
  readonly #fetch: typeof globalThis.fetch;
  /** The application's own fetch: what it throws is its own affair. */
  readonly #own: boolean;
  #reader: Reader | undefined;
  #closed = false;
  /** Ends the wait for a response. */
  #interrupt: (() => void) | undefined;
  /** Waits for the read that is going on. */
  #take: ((piece: Piece) => void) | undefined;
  // Made once, for they are needed with every piece.
  readonly #onResult = (result: ReadableStreamReadResult<Uint8Array>): void => {
    if (this.#closed) return this.#settle("closed");
    let piece: Piece;
    try {
      piece = result.done ? "end" : bytesOf(result.value);
    } catch (error) {
      return this.#onError(error);
    }
    if (piece === "end") this.#ended();
    this.#settle(piece);
  };
  readonly #onError = (error: unknown): void => {
    this.#settle(this.#closed ? "closed" : new TransportError(withCause(error)));
  };

  constructor(fetch: typeof globalThis.fetch | undefined) {
    // Called as a function of the global object, which browsers insist on.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#own = fetch !== undefined;
  }

  /**
   * Send a request and wait for the response's headers; undefined when the exchange was closed meanwhile.
   *
   * @param timeoutMs longest wait for the headers
   * @throws TransportError when no response came, AgentError `invalid_request` when the request itself is impossible
   */
  async send(
    url: string,
    headers: HeaderList,
    body: Uint8Array<ArrayBuffer>,
    timeoutMs: number | undefined,
  ): Promise<Response | undefined> {
    const response = await this.#answer(url, headers, body, timeoutMs);
    if (response === undefined || !isRedirect(response)) return response;
    this.close();
    discard(response);
    throw redirected(url);
  }

  async #answer(
    url: string,
    headers: HeaderList,
    body: Uint8Array<ArrayBuffer>,
    timeoutMs: number | undefined,
  ): Promise<Response | undefined> {
    if (this.#closed) return undefined;
    check(url, headers);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const policy = new PolicyWatch(url);
    try {
      return await new Promise<Response | undefined>((resolve, reject) => {
        this.#interrupt = () => resolve(undefined);
        if (timeoutMs !== undefined && timeoutMs > 0) {
          const late = new TransportError(`Request timed out after ${timeoutMs} ms.`);
          timer = setTimeout(() => reject(late), timeoutMs);
        }
        this.#call(url, headers, body).then((response) => {
          // Too late for anybody to read it.
          if (this.#closed) discard(response);
          if (isObject(response)) resolve(response);
          else reject(new TransportError(NO_RESPONSE));
        }, reject);
      });
    } catch (error) {
      this.close();
      if (error instanceof TransportError) throw error;
      throw new TransportError(unreachable(url, error, !this.#own && (await policy.blocked())));
    } finally {
      clearTimeout(timer);
      policy.stop();
      this.#interrupt = undefined;
    }
  }

  /** Read the next piece of a response's body; `take` is called once, in a later microtask. One read at a time. */
  read(response: Response, take: (piece: Piece) => void): void {
    this.#take = take;
    if (this.#closed) return queueMicrotask(() => this.#settle("closed"));
    try {
      if (this.#reader === undefined) {
        if (!response.body) return queueMicrotask(() => this.#settle("end"));
        this.#reader = response.body.getReader() as Reader;
      }
      this.#reader.read().then(this.#onResult, this.#onError);
    } catch (error) {
      queueMicrotask(() => this.#onError(error));
    }
  }

  /** The response is complete. Its body may end by itself, which keeps the connection for the next request. */
  finish(): void {
    const reader = this.#reader;
    if (this.#closed || reader === undefined) return this.close();
    const timer = setTimeout(() => this.close(), GRACE);
    const after = (ended: boolean) => {
      clearTimeout(timer);
      if (ended) this.#ended();
      else this.close();
    };
    reader.read().then(
      (result) => after(result.done),
      () => after(false),
    );
  }

  /** Nobody wants more: close the connection, and end the read that is going on. Harmless twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#interrupt?.();
    if (this.#take !== undefined) queueMicrotask(() => this.#settle("closed"));
    const reader = this.#reader;
    if (reader !== undefined) {
      reader.cancel().catch(() => {});
      release(reader);
    }
    this.#controller.abort();
  }

  #settle(piece: Piece): void {
    const take = this.#take;
    this.#take = undefined;
    take?.(piece);
  }

  /** The body ended by itself. */
  #ended(): void {
    this.#closed = true;
    if (this.#reader !== undefined) release(this.#reader);
  }

  /** `fetch` itself may throw instead of rejecting. */
  async #call(url: string, headers: HeaderList, body: Uint8Array<ArrayBuffer>): Promise<Response> {
    const list = headers.map(([name, value]): [string, string] => [name, value]);
    const { signal } = this.#controller;
    return await this.#fetch(url, { method: "POST", headers: list, body, signal, redirect: NOT_FOLLOWED });
  }
}

/**
 * With a scheme, or a path of the page. A host alone would be taken for a path of the page, and `localhost:8080` for a
 * scheme.
 */
const ADDRESS = /^([a-z][a-z\d+.-]*:\/)?\/|^\.\.?\//i;

/** What fetch would refuse with an error that looks like one of the network, and may show the value. */
function check(url: string, headers: HeaderList): void {
  if (!ADDRESS.test(url) || !parse(url)) {
    throw new AgentError(
      "invalid_request",
      `The model's baseUrl makes no valid URL: ${url} (expected something like https://host/v1)`,
    );
  }
  for (const [name, value] of headers) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new AgentError(
        "invalid_request",
        `The header ${name} has a name or value that HTTP does not allow.`,
      );
    }
  }
}

/** @throws TransportError for a piece that is no bytes */
function bytesOf(piece: unknown): Uint8Array {
  if (!ArrayBuffer.isView(piece)) throw new TransportError("The body of the response is not made of bytes.");
  if (piece instanceof Uint8Array) return piece;
  return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function discard(response: Response): void {
  try {
    response.body?.cancel().catch(() => {});
  } catch {
    // It is no response.
  }
}

function release(reader: Reader): void {
  try {
    reader.releaseLock();
  } catch {
    // A read is still pending in an implementation that follows an older standard; cancelling ends it.
  }
}
