import { after } from "../clock.js";

/** What may end the waiting for some work. */
export interface Bounds {
  /** Time for the work, in milliseconds. */
  readonly ms?: number | undefined;
  /** The time is over: gives the error. */
  readonly late: () => Error;
  readonly signal?: AbortSignal | undefined;
  /** Time that is left after an abort, in milliseconds. Undefined: aborts do not count. */
  readonly graceMs?: number | undefined;
  /** The time after an abort is over: gives the error. */
  readonly aborted?: () => Error;
}

/** What `work` gives or throws, unless a bound comes first. What the work does after that is ignored. */
export function within<T>(work: () => T | PromiseLike<T>, bounds: Bounds): Promise<T> {
  const { ms, late, signal, graceMs, aborted } = bounds;
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = [];
    const settled = (): void => {
      for (const step of undo) step();
    };
    const give = (error: () => Error): void => {
      settled();
      reject(error());
    };
    const onAbort = (): void => {
      if (aborted === undefined || graceMs === undefined) return;
      if (graceMs === 0) give(aborted);
      else undo.push(after(graceMs, () => give(aborted)));
    };
    if (ms !== undefined) undo.push(after(ms, () => give(signal?.aborted && aborted ? aborted : late)));
    if (signal && graceMs !== undefined) {
      signal.addEventListener("abort", onAbort, { once: true });
      undo.push(() => signal.removeEventListener("abort", onAbort));
    }
    new Promise<T>((done) => done(work())).then(resolve, reject).finally(settled);
    if (signal?.aborted) onAbort();
  });
}

/** A controller of its own that also follows `parent`. `AbortSignal.any` is younger than the oldest browsers. */
export class LinkedAbort {
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly parent: AbortSignal | undefined;
  private readonly follow = (): void => this.abort(this.parent?.reason);

  constructor(parent: AbortSignal | undefined) {
    this.signal = this.controller.signal;
    this.parent = parent;
    if (parent?.aborted) this.follow();
    else parent?.addEventListener("abort", this.follow, { once: true });
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Stops following. */
  release(): void {
    this.parent?.removeEventListener("abort", this.follow);
  }
}
