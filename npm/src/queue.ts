import { Fifo } from "./fifo.js";
import type { QueuedMessage } from "./receipts.js";
import type { AgentMessage, CustomMessage, QueueMode } from "./types.js";

/** Messages waiting for a run, with the rule of how many go in at once. */
export class MessageQueue<TCustom extends CustomMessage> {
  mode: QueueMode;
  private readonly waiting = new Fifo<QueuedMessage<TCustom>>();

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get length(): number {
    return this.waiting.length;
  }

  push(entry: QueuedMessage<TCustom>): void {
    this.waiting.push(entry);
  }

  /** Back to the head. */
  putBack(entry: QueuedMessage<TCustom>): void {
    this.waiting.unshift(entry);
  }

  /** What the next `drain` would take. */
  peek(): AgentMessage<TCustom>[] {
    if (this.mode === "all") return this.waiting.toArray().map((entry) => entry.message);
    const oldest = this.waiting.peek();
    return oldest ? [oldest.message] : [];
  }

  /** Takes out every message, or the oldest one, as the mode says. */
  drain(): QueuedMessage<TCustom>[] {
    if (this.mode === "all") return this.waiting.drain();
    const oldest = this.waiting.shift();
    return oldest ? [oldest] : [];
  }

  /** Drops everything; the receipts say so. */
  clear(): void {
    for (const { receipt } of this.waiting.drain()) receipt.settle("dropped");
  }
}
