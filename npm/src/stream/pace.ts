/**
 * Letting the page breathe. A body that is already buffered is read and delivered in microtasks only, so without a
 * break a long one would block painting, input and timers until its end.
 */

/** Longest stretch of work without a break, in milliseconds. */
const STRETCH = 8;
/** Reading the clock for every delta would cost more than the delta. */
const CHECK_EVERY = 16;
/** How long a page that is never idle can hold work up, in milliseconds. */
const PATIENCE = 50;
/** A wait longer than this was a real one: others had their turn. In milliseconds. */
const REAL_WAIT = 1;

/** Measures the work of one response. */
export class Pace {
  #since = performance.now();
  #waitingSince = 0;
  #count = 0;

  /** Call after each delivery: whether it is time for {@link rest}. */
  due(): boolean {
    this.#count += 1;
    if (this.#count % CHECK_EVERY !== 0) return false;
    return performance.now() - this.#since > STRETCH;
  }

  /** A wait for input is about to begin: whether {@link rest} must come first. */
  wait(): boolean {
    this.#waitingSince = performance.now();
    return this.#waitingSince - this.#since > STRETCH;
  }

  /** The wait is over; if it took time, the stretch begins anew. */
  go(): void {
    const now = performance.now();
    if (now - this.#waitingSince > REAL_WAIT) this.#since = now;
  }

  /** Let everything else run that waits for its turn: timers, input, painting. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}

interface TaskScheduler {
  postTask(task: () => void, options: { priority: "background" }): Promise<unknown>;
}

/**
 * A new task, behind what is waiting, but at most {@link PATIENCE} later: while a page keeps busy, its tasks of low
 * priority wait for ever. Not `setTimeout` alone, which hidden pages slow down to a second and more, and not
 * `scheduler.yield`, which goes before timers.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { scheduler, setImmediate, document } = globalThis as typeof globalThis & {
      scheduler?: Partial<TaskScheduler>;
      setImmediate?: (task: () => void) => void;
    };
    if (typeof setImmediate === "function") {
      setImmediate(resolve);
    } else if (typeof scheduler?.postTask === "function" && document?.hidden !== true) {
      const timer = setTimeout(resolve, PATIENCE);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      scheduler.postTask(go, { priority: "background" }).catch(go);
    } else if (typeof MessageChannel === "function") {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else {
      setTimeout(resolve, 0);
    }
  });
}
