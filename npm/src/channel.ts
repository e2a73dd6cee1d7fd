import { Fifo } from "./fifo.js";
import type { AsyncEvents } from "./types.js";

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
  /** The iterator that waits here was left; the next value goes to somebody else. */
  left: boolean;
}

/** Values pushed on one side and iterated on the other. Values that nobody waits for are kept. */
export class Channel<T> {
  private readonly _values = new Fifo<T>();
  private readonly _waiters = new Fifo<Waiter<T>>();
  private _isClosed = false;
  private _failure: { error: unknown } | undefined;

  get closed(): boolean {
    return this._isClosed;
  }

  /** Hands over a value. Does nothing once the channel is closed. */
  push(value: T): void {
    if (this._isClosed) return;
    const waiter = this._nextWaiter();
    if (waiter) waiter.resolve({ value, done: false });
    else this._values.push(value);
  }

  /** No more values. What is still waiting can be read; after that iterators end. */
  close(): void {
    this._isClosed = true;
    for (let waiter = this._nextWaiter(); waiter; waiter = this._nextWaiter()) {
      waiter.resolve({ value: undefined, done: true });
    }
  }

  /** Like `close`, but one iterator gets the error after the last value. */
  fail(error: unknown): void {
    if (this._isClosed) return;
    this._isClosed = true;
    const waiter = this._nextWaiter();
    if (waiter) waiter.reject(error);
    else this._failure = { error };
    this.close();
  }

  /**
   * An iterator over the values that are still there and those to come. Several iterators share them: each value goes
   * to one. Leaving a loop (`return`) ends only that iterator, at once, even while it waits.
   *
   * @param onReturn called once when the iterator is left early
   */
  iterate(onReturn?: () => void): AsyncEvents<T> {
    let left = false;
    const waiting = new Set<Waiter<T>>();
    const end: IteratorResult<T, undefined> = { value: undefined, done: true };
    return {
      next: () => {
        if (left) return Promise.resolve(end);
        if (this._values.length > 0) {
          return Promise.resolve({ value: this._values.shift() as T, done: false });
        }
        if (this._failure) {
          const { error } = this._failure;
          this._failure = undefined;
          return Promise.reject(error);
        }
        if (this._isClosed) return Promise.resolve(end);
        return new Promise((resolve, reject) => {
          const waiter: Waiter<T> = {
            resolve: (result) => {
              waiting.delete(waiter);
              resolve(result);
            },
            reject,
            left: false,
          };
          waiting.add(waiter);
          this._waiters.push(waiter);
        });
      },
      return: () => {
        if (!left) {
          left = true;
          for (const waiter of waiting) {
            waiter.left = true;
            waiter.resolve(end);
          }
          onReturn?.();
        }
        return Promise.resolve(end);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  private _nextWaiter(): Waiter<T> | undefined {
    let waiter = this._waiters.shift();
    while (waiter?.left) waiter = this._waiters.shift();
    return waiter;
  }
}
