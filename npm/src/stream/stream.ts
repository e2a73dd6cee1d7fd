/** The object that `streamSimple` gives: to iterate over, to pump, or just to wait for. */
import { isThenable } from "../engine/describe.js";
import type { AssistantMessage, AssistantMessageEvent } from "../types.js";
import type { Exchange } from "./exchange.js";
import { type EventSink, PUMP, type PumpedStream, type ResponseEvent } from "./pump.js";

type Step = IteratorResult<AssistantMessageEvent, undefined>;

const DONE: Step = { done: true, value: undefined };

/**
 * A response in progress. The request is on its way from the start; the body is read as fast as events are taken, so a
 * slow consumer slows the server down. Leaving the iteration closes the connection.
 *
 * {@link result} alone reads the response to its end. Iterators share the events.
 */
export class ResponseStream implements PumpedStream {
  readonly #exchange: Exchange;
  /** Events that were read for {@link result} while nobody took them. */
  #kept: ResponseEvent[] = [];
  #keptFrom = 0;
  /** Somebody takes the events. */
  #taken = false;
  /** The step of an iterator that must come first. */
  #tail: Promise<unknown> | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    void exchange.more();
  }

  result(): Promise<AssistantMessage> {
    // Who iterates as well does so before this turn is over.
    if (!this.#taken) queueMicrotask(() => void this.#drain());
    return this.#exchange.result;
  }

  [Symbol.asyncIterator](): AsyncIterator<AssistantMessageEvent, undefined> {
    this.#taken = true;
    return {
      next: () => this.#next(),
      return: () => {
        this.#exchange.stop();
        this.#kept = [];
        return Promise.resolve(DONE);
      },
    };
  }

  async [PUMP](sink: EventSink): Promise<void> {
    this.#taken = true;
    const exchange = this.#exchange;
    try {
      while (true) {
        let event = this.#take();
        while (event !== undefined) {
          const waiting = sink(event);
          if (isThenable(waiting)) await waiting;
          if (exchange.pace.due()) await exchange.pace.rest();
          event = this.#take();
        }
        if (exchange.over) return;
        await exchange.more();
      }
    } catch (error) {
      exchange.stop();
      throw error;
    }
  }

  /** The next event that iterators know. */
  #known(): AssistantMessageEvent | undefined {
    let event = this.#take();
    while (event?.type === "request_retry") event = this.#take();
    return event;
  }

  #take(): ResponseEvent | undefined {
    const kept = this.#kept[this.#keptFrom];
    if (kept === undefined) return this.#exchange.take();
    this.#keptFrom += 1;
    if (this.#keptFrom === this.#kept.length) {
      this.#kept = [];
      this.#keptFrom = 0;
    }
    return kept;
  }

  #next(): Promise<Step> {
    if (this.#tail === undefined && !this.#exchange.pace.due()) {
      const event = this.#known();
      if (event !== undefined) return Promise.resolve({ done: false, value: event });
    }
    // Steps asked for at once follow each other.
    const step = (this.#tail ?? Promise.resolve()).then(() => this.#wait());
    const tail = step.finally(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
    return step;
  }

  async #wait(): Promise<Step> {
    const exchange = this.#exchange;
    if (exchange.pace.wait()) await exchange.pace.rest();
    while (true) {
      const event = this.#known();
      if (event !== undefined) return { done: false, value: event };
      if (exchange.over) return DONE;
      await exchange.more();
    }
  }

  /** Read on as long as nobody takes the events; they are kept for who does later. */
  async #drain(): Promise<void> {
    const exchange = this.#exchange;
    while (!this.#taken && !exchange.over) {
      let event = exchange.take();
      while (event !== undefined) {
        this.#kept.push(event);
        event = exchange.take();
      }
      if (!exchange.over) await exchange.more();
    }
  }
}
