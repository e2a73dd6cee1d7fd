/**
 * A first-in-first-out queue. Pushing and shifting take constant time on average, however long the queue is (an array's
 * `shift` does not).
 */
export class Fifo<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** Puts an item before the oldest. Takes time in proportion to the length, unless something was shifted before. */
  unshift(item: T): void {
    if (this.head > 0) this.items[--this.head] = item;
    else this.items.unshift(item);
  }

  /** The oldest item, which stays in the queue; undefined when the queue is empty. */
  peek(): T | undefined {
    return this.items[this.head];
  }

  /** Takes out the oldest item; undefined when the queue is empty. */
  shift(): T | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head];
    this.items[this.head++] = undefined;
    // Each item is moved at most once per halving, so this adds a constant to every shift.
    if (this.head > 32 && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** Takes out everything, oldest first. */
  drain(): T[] {
    const items = this.toArray();
    this.items = [];
    this.head = 0;
    return items;
  }

  /** A copy of the waiting items, oldest first. */
  toArray(): T[] {
    return this.items.slice(this.head) as T[];
  }
}
