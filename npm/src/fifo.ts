/**
 * A first-in-first-out queue. Pushing and shifting take constant time on average, however long the queue is (an array's
 * `shift` does not).
 */
export class Fifo<T> {
  private _items: (T | undefined)[] = [];
  private _head = 0;

  get length(): number {
    return this._items.length - this._head;
  }

  push(item: T): void {
    this._items.push(item);
  }

  /** Puts an item before the oldest. Takes time in proportion to the length, unless something was shifted before. */
  unshift(item: T): void {
    if (this._head > 0) this._items[--this._head] = item;
    else this._items.unshift(item);
  }

  /** The oldest item, which stays in the queue; undefined when the queue is empty. */
  peek(): T | undefined {
    return this._items[this._head];
  }

  /** Takes out the oldest item; undefined when the queue is empty. */
  shift(): T | undefined {
    if (this._head === this._items.length) return undefined;
    const item = this._items[this._head];
    this._items[this._head++] = undefined;
    // Each item is moved at most once per halving, so this adds a constant to every shift.
    if (this._head > 32 && this._head * 2 >= this._items.length) {
      this._items = this._items.slice(this._head);
      this._head = 0;
    }
    return item;
  }

  /** Takes out everything, oldest first. */
  drain(): T[] {
    const items = this.toArray();
    this._items = [];
    this._head = 0;
    return items;
  }

  /** A copy of the waiting items, oldest first. */
  toArray(): T[] {
    return this._items.slice(this._head) as T[];
  }
}
