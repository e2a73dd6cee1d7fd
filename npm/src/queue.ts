import { Fifo } from "./fifo.js";
import type { QueuedMessage } from "./receipts.js";
import type { AgentMessage, CustomMessage, QueueMode } from "./types.js";

/** Messages waiting for a run, with the rule of how many go in at once. */
export class MessageQueue<TCustom extends CustomMessage> {
  mode: QueueMode;
  private readonly _waiting = new Fifo<QueuedMessage<TCustom>>();

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get length(): number {
    return this._waiting.length;
  }

  push(entry: QueuedMessage<TCustom>): void {
    this._waiting.push(entry);
  }

  /** Back to the head. */
  putBack(entry: QueuedMessage<TCustom>): void {
    this._waiting.unshift(entry);
  }

  /** What the next `drain` would take. */
  peek(): AgentMessage<TCustom>[] {
    if (this.mode === "all") return this._waiting.toArray().map((entry) => entry.message);
    const oldest = this._waiting.peek();
    return oldest ? [oldest.message] : [];
  }

  /** Takes out every message, or the oldest one, as the mode says. */
  drain(): QueuedMessage<TCustom>[] {
    if (this.mode === "all") return this._waiting.drain();
    const oldest = this._waiting.shift();
    return oldest ? [oldest] : [];
  }

  /** Drops everything; the receipts say so. */
  clear(): void {
    for (const { receipt } of this._waiting.drain()) receipt.settle("dropped");
  }
}
