import { after, now } from "../clock.js";

/** Measures how long nothing has come while somebody waits for it. */
export class Silence {
  readonly #idleMs: number;
  readonly #onBroken: () => void;
  #since = now();
  /** When what came last was handed over; undefined while somebody waits for more. */
  #heldSince: number | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(idleMs: number, onBroken: () => void) {
    this.#idleMs = idleMs;
    this.#onBroken = onBroken;
    this.#arm(idleMs);
  }

  /** Something came; time does not count until {@link waiting}. */
  heard(): void {
    this.#heldSince = now();
  }

  /**
   * Somebody waits for more.
   *
   * @param fresh what came carried something: the silence begins anew
   */
  waiting(fresh: boolean): void {
    if (this.#heldSince === undefined || this.#stopped) return;
    const time = now();
    this.#since = fresh ? time : this.#since + (time - this.#heldSince);
    this.#heldSince = undefined;
    if (!this.#cancel) this.#arm(Math.max(0, this.#since + this.#idleMs - time));
  }

  /** The response is over. */
  stop(): void {
    this.#cancel?.();
    this.#stopped = true;
  }

  /** One timer, looked after when it fires: cheaper than a new one for every delta. */
  #arm(ms: number): void {
    this.#cancel = after(ms, () => {
      this.#cancel = undefined;
      if (this.#heldSince !== undefined) return;
      const left = this.#since + this.#idleMs - now();
      if (left > 0) return this.#arm(left);
      this.#stopped = true;
      this.#onBroken();
    });
  }
}
