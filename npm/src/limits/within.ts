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
    const stopped = (): void => {
      if (aborted === undefined || graceMs === undefined) return;
      if (graceMs === 0) give(aborted);
      else undo.push(after(graceMs, () => give(aborted)));
    };
    if (ms !== undefined) undo.push(after(ms, () => give(signal?.aborted && aborted ? aborted : late)));
    if (graceMs !== undefined) undo.push(whenAborted(signal, stopped));
    new Promise<T>((done) => done(work())).then(resolve, reject).finally(settled);
  });
}

/** What is done when a signal fires, behind one listener: adding one takes a look at all that are there. */
interface Steps {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const steps = new WeakMap<AbortSignal, Steps>();

/**
 * Does something once when a signal fires, at once if it has: like a listener of its own, however many others wait for
 * that signal.
 *
 * @returns takes it back
 */
export function whenAborted(signal: AbortSignal | undefined, step: () => void): () => void {
  if (signal?.aborted) step();
  if (!signal || signal.aborted) return () => {};
  const { all, listener } = steps.get(signal) ?? firstStep(signal);
  all.add(step);
  return () => {
    all.delete(step);
    if (all.size > 0) return;
    signal.removeEventListener("abort", listener);
    steps.delete(signal);
  };
}

function firstStep(signal: AbortSignal): Steps {
  const all = new Set<() => void>();
  const listener = () => {
    for (const step of all) step();
  };
  const made = { all, listener };
  steps.set(signal, made);
  signal.addEventListener("abort", listener, { once: true });
  return made;
}

/** A controller of its own that also follows `parent`. `AbortSignal.any` is younger than the oldest browsers. */
export class LinkedAbort {
  readonly signal: AbortSignal;
  /** Stops following. */
  readonly release: () => void;
  readonly #controller = new AbortController();

  constructor(parent: AbortSignal | undefined) {
    this.signal = this.#controller.signal;
    this.release = whenAborted(parent, () => this.abort(parent?.reason));
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}
