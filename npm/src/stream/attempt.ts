/** One HTTP exchange, decoded: every step gives the batch that came of it. */
import { AgentError } from "../errors.js";
import { describe } from "../engine/describe.js";
import type { Model, SimpleStreamOptions } from "../types.js";
import { EMPTY_BATCH, isFinal, type WireBatch, type WireEngine, type WireRequest } from "./engine.js";
import { Transport, TransportError } from "./transport.js";

/** A hook of the caller threw; its words become the error of the message. */
export class HookError extends AgentError {
  override name = "HookError";

  constructor(thrown: unknown) {
    super("internal", describe(thrown), { cause: thrown });
  }
}

export class Attempt {
  readonly #engine: WireEngine;
  readonly #request: WireRequest;
  readonly #body: Uint8Array<ArrayBuffer>;
  readonly #model: Model;
  readonly #options: SimpleStreamOptions;
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
  ) {
    this.#engine = engine;
    this.#request = request;
    this.#body = body;
    this.#model = model;
    this.#options = options;
    this.#transport = new Transport(options.fetch);
    this.#id = engine.open(request.reply);
  }

  /** Missing as long as there is no response. */
  get status(): number | undefined {
    return this.#response?.status;
  }

  get headers(): Headers | undefined {
    return this.#response?.headers;
  }

  /**
   * Send the request, or read on. Empty when {@link close} came first.
   *
   * @throws HookError; whatever else it throws is a breakdown of the engine
   */
  async next(): Promise<WireBatch> {
    try {
      return this.#response === undefined ? await this.#send() : await this.#read(this.#response);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      this.#transport.close();
      return this.#fed((id) => this.#engine.fail(id, "network", error.message));
    }
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
    this.#fed((id) => {
      this.#engine.close(id);
      return EMPTY_BATCH;
    });
    this.#id = undefined;
  }

  /** The engine's instance is gone. */
  lose(): void {
    this.#id = undefined;
    this.#transport.close();
  }

  async #send(): Promise<WireBatch> {
    const { url, headers } = this.#request;
    const response = await this.#transport.send(url, headers, this.#body, this.#options.timeoutMs);
    if (response === undefined) return EMPTY_BATCH;
    this.#response = response;
    const { onResponse } = this.#options;
    if (onResponse !== undefined) {
      try {
        const seen = Object.fromEntries(response.headers);
        await onResponse({ status: response.status, headers: seen }, this.#model);
      } catch (error) {
        throw new HookError(error);
      }
    }
    const type = response.headers.get("content-type") ?? "";
    return this.#fed((id) => this.#engine.head(id, response.status, type, response.statusText));
  }

  async #read(response: Response): Promise<WireBatch> {
    const piece = await this.#transport.read(response);
    if (piece === "closed") return EMPTY_BATCH;
    const batch = this.#fed((id) => (piece === "end" ? this.#engine.end(id) : this.#engine.push(id, piece)));
    if (isFinal(batch)) this.#transport.finish();
    return batch;
  }

  #fed(step: (id: number) => WireBatch): WireBatch {
    return this.#id === undefined ? EMPTY_BATCH : step(this.#id);
  }
}
