/** One HTTP exchange, decoded: every step gives the batch that came of it. */
import { AgentError } from "../errors.js";
import { describe } from "../engine/describe.js";
import type { Model, SimpleStreamOptions } from "../types.js";
import { EMPTY_BATCH, isFinal, type WireBatch, type WireEngine, type WireRequest } from "./engine.js";
import { headOf, type Piece, Transport, TransportError } from "./transport.js";

/** A hook of the caller threw; its words become the error of the message. */
export class HookError extends AgentError {
  override name = "HookError";

  constructor(thrown: unknown) {
    super("internal", describe(thrown), { cause: thrown });
  }
}

/** Gets what a read gave. */
export interface Receiver {
  /** Empty when the attempt was closed. */
  take(batch: WireBatch, attempt: Attempt): void;
  /** The engine broke down. */
  broke(error: unknown): void;
}

export class Attempt {
  readonly #engine: WireEngine;
  readonly #request: WireRequest;
  readonly #body: Uint8Array<ArrayBuffer>;
  readonly #model: Model;
  readonly #options: SimpleStreamOptions;
  readonly #receiver: Receiver;
  readonly #transport: Transport;
  #response: Response | undefined;
  /** The engine's id of the response; undefined once it was given back. */
  #id: number | undefined;

  constructor(
    engine: WireEngine,
    request: WireRequest,
    body: Uint8Array<ArrayBuffer>,
    model: Model,
    options: SimpleStreamOptions,
    receiver: Receiver,
  ) {
    this.#engine = engine;
    this.#request = request;
    this.#body = body;
    this.#model = model;
    this.#options = options;
    this.#receiver = receiver;
    this.#transport = new Transport(options.fetch);
    this.#id = engine.open(request.reply);
  }

  /** Undefined as long as there is no response. */
  get response(): Response | undefined {
    return this.#response;
  }

  /**
   * Send the request; the response is there afterwards, unless the batch says otherwise. Empty when {@link close} came
   * first.
   *
   * @throws HookError or AgentError for what cannot be sent; whatever else it throws is a breakdown of the engine
   */
  async send(): Promise<WireBatch> {
    const { url, headers } = this.#request;
    let response: Response | undefined;
    let head: ReturnType<typeof headOf>;
    try {
      response = await this.#transport.send(url, headers, this.#body, this.#options.timeoutMs);
      if (response === undefined) return EMPTY_BATCH;
      head = headOf(response);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return this.#failed(error);
    }
    this.#response = response;
    const { status, type, statusText } = head;
    const { onResponse } = this.#options;
    if (onResponse !== undefined) {
      try {
        await onResponse({ status, headers: Object.fromEntries(response.headers) }, this.#model);
      } catch (error) {
        throw new HookError(error);
      }
    }
    return this.#fed((id) => this.#engine.head(id, status, type, statusText));
  }

  /** Read on; what came of it goes to the receiver, in a later microtask. */
  read(): void {
    this.#transport.read(this.#response as Response, this.#onPiece);
  }

  /** End it with the engine's own books settled, as far as they go. */
  abort(message: string): WireBatch {
    this.#transport.close();
    return this.#fed((id) => this.#engine.fail(id, "aborted", message));
  }

  /** Close the connection. Harmless twice. */
  close(): void {
    this.#transport.close();
  }

  /** Give the engine its memory back. */
  release(): void {
    const id = this.#id;
    this.#id = undefined;
    if (id !== undefined) this.#engine.close(id);
  }

  /** The engine's instance is gone. */
  lose(): void {
    this.#id = undefined;
    this.#transport.close();
  }

  readonly #onPiece = (piece: Piece): void => {
    let batch = EMPTY_BATCH;
    try {
      if (piece === "end") batch = this.#fed((id) => this.#engine.end(id));
      else if (piece instanceof TransportError) batch = this.#failed(piece);
      else if (piece !== "closed" && this.#id !== undefined) batch = this.#engine.push(this.#id, piece);
      if (isFinal(batch)) this.#transport.finish();
    } catch (error) {
      return this.#receiver.broke(error);
    }
    this.#receiver.take(batch, this);
  };

  #failed(error: TransportError): WireBatch {
    this.#transport.close();
    return this.#fed((id) => this.#engine.fail(id, "network", error.message));
  }

  #fed(step: (id: number) => WireBatch): WireBatch {
    return this.#id === undefined ? EMPTY_BATCH : step(this.#id);
  }
}
