/**
 * One HTTP exchange over fetch: sends, reads the body piece by piece, and lets go of the connection as soon as nobody
 * wants more of it.
 */
import { AgentError } from "../errors.js";
import { unreachable, withCause } from "./unreachable.js";

/** What {@link Transport.read} gives: a piece, the end of the body, or nothing because the exchange was closed. */
export type Piece = Uint8Array | "end" | "closed";

/** The network failed, or did not get going; the message is for people. */
export class TransportError extends Error {
  override name = "TransportError";
}

/** How long a finished body may take to end by itself before the connection is given up. Milliseconds. */
const GRACE = 20;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** One request and its response. */
export class Transport {
  /** Own, and fired without a reason: what a reason of the caller does inside a fetch is not ours to find out. */
  readonly #controller = new AbortController();
  readonly #fetch: typeof globalThis.fetch;
  #reader: Reader | undefined;
  #closed = false;
  /** Ends the read or the wait that is going on. */
  #interrupt: (() => void) | undefined;

  constructor(fetch: typeof globalThis.fetch | undefined) {
    // Called as a function of the global object, which browsers insist on.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /**
   * Send a request and wait for the response's headers; undefined when the exchange was closed meanwhile.
   *
   * @param timeoutMs longest wait for the headers
   * @throws TransportError when no response came, AgentError `invalid_request` when the request itself is impossible
   */
  async send(
    url: string,
    headers: readonly (readonly [string, string])[],
    body: BodyInit,
    timeoutMs: number | undefined,
  ): Promise<Response | undefined> {
    if (this.#closed) return undefined;
    check(url, headers);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      if (timeoutMs === undefined || !(timeoutMs > 0)) return;
      timer = setTimeout(
        () => reject(new TransportError(`Request timed out after ${timeoutMs} ms.`)),
        timeoutMs,
      );
    });
    try {
      const sent = this.#call(url, headers, body);
      const response = await this.#unlessClosed(Promise.race([sent, late]));
      if (response === undefined || this.#closed) {
        // It may still come: nobody will read it.
        sent.then(discard, () => {});
        return undefined;
      }
      return response;
    } catch (error) {
      this.close();
      throw error instanceof TransportError ? error : new TransportError(unreachable(url, error));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Read the next piece of a response's body.
   *
   * @throws TransportError when the connection broke
   */
  async read(response: Response): Promise<Piece> {
    if (this.#closed) return "closed";
    try {
      if (this.#reader === undefined) {
        if (!response.body) return "end";
        this.#reader = response.body.getReader() as Reader;
      }
      const result = await this.#unlessClosed(this.#reader.read());
      if (result === undefined) return "closed";
      if (!result.done) return result.value;
      this.#closed = true;
      release(this.#reader);
      return "end";
    } catch (error) {
      throw new TransportError(withCause(error));
    }
  }

  /** The response is complete. Its body may end by itself, which keeps the connection for the next request. */
  finish(): void {
    const reader = this.#reader;
    if (this.#closed || reader === undefined) return this.close();
    const timer = setTimeout(() => this.close(), GRACE);
    reader.read().then(
      (result) => {
        clearTimeout(timer);
        if (result.done) {
          this.#closed = true;
          release(reader);
        } else {
          this.close();
        }
      },
      () => {
        clearTimeout(timer);
        this.close();
      },
    );
  }

  /** Nobody wants more: close the connection, and end the read that is going on. Harmless twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#interrupt?.();
    const reader = this.#reader;
    if (reader !== undefined) {
      reader.cancel().catch(() => {});
      release(reader);
    }
    this.#controller.abort();
  }

  /** `fetch` itself may throw instead of rejecting. */
  async #call(
    url: string,
    headers: readonly (readonly [string, string])[],
    body: BodyInit,
  ): Promise<Response> {
    return await this.#fetch(url, {
      method: "POST",
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
      signal: this.#controller.signal,
    });
  }

  /** The outcome of `promise`, or undefined as soon as the exchange is closed. */
  #unlessClosed<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(undefined);
      promise.then(
        (value) => {
          this.#interrupt = undefined;
          resolve(value);
        },
        (error) => {
          this.#interrupt = undefined;
          reject(error);
        },
      );
    });
  }
}

/** What fetch would refuse with an error that looks like one of the network, and may show the value. */
function check(url: string, headers: readonly (readonly [string, string])[]): void {
  try {
    new URL(url, globalThis.location?.href);
  } catch {
    throw new AgentError("invalid_request", `The model's baseUrl makes no valid URL: ${url}`);
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

function release(reader: Reader): void {
  try {
    reader.releaseLock();
  } catch {
    // A read is still pending in an implementation that follows an older standard; cancelling ends it.
  }
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
