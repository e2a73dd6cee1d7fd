import { Fifo } from "../fifo.js";
import { CallFailure, type StartCall } from "./call.js";
import { whenAborted } from "./within.js";

/** So many places and no more; who comes first is served first. */
export class Slots {
  #free: number;
  readonly #waiting = new Fifo<() => boolean>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a place, and gives it back. A call that is aborted while it waits does not start. */
  wrap(start: StartCall): StartCall {
    return async (input) => {
      await this.#enter(input.signal);
      try {
        return await start(input);
      } finally {
        this.#leave();
      }
    };
  }

  #enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      let left = false;
      const leave = () => {
        left = true;
        reject(CallFailure.aborted());
      };
      const forget = whenAborted(signal, leave);
      this.#waiting.push(() => {
        forget();
        if (!left) resolve();
        return !left;
      });
    });
  }

  /** Hands the place to the next one that still wants it. */
  #leave(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) if (next()) return;
    this.#free++;
  }
}
