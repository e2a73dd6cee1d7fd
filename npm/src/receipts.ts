import type { AgentMessage, CustomMessage, Receipt, ReceiptOutcome } from "./types.js";

/** A receipt, seen from inside. */
export class OpenReceipt implements Receipt {
  readonly id: string;
  readonly settled: Promise<ReceiptOutcome>;
  private outcome: Receipt["status"] = "queued";
  private resolve!: (outcome: ReceiptOutcome) => void;

  constructor(id: string) {
    this.id = id;
    this.settled = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  get status(): Receipt["status"] {
    return this.outcome;
  }

  /** The first outcome counts. */
  settle(outcome: ReceiptOutcome): void {
    if (this.outcome !== "queued") return;
    this.outcome = outcome;
    this.resolve(outcome);
  }
}

/** A message with the receipt that was given out for it. */
export interface QueuedMessage<TCustom extends CustomMessage> {
  readonly message: AgentMessage<TCustom>;
  readonly receipt: OpenReceipt;
}

/**
 * Messages that a run has taken out of a queue and that are not in the transcript yet. They are recognised by identity;
 * the same object may be under way more than once.
 */
export class MessagesUnderWay<TCustom extends CustomMessage> {
  private readonly receipts = new Map<AgentMessage<TCustom>, OpenReceipt[]>();

  take(entries: readonly QueuedMessage<TCustom>[]): AgentMessage<TCustom>[] {
    for (const { message, receipt } of entries) {
      const waiting = this.receipts.get(message);
      if (waiting) waiting.push(receipt);
      else this.receipts.set(message, [receipt]);
    }
    return entries.map((entry) => entry.message);
  }

  /** The message has entered the transcript. */
  delivered(message: AgentMessage<TCustom>): void {
    if (this.receipts.size === 0) return;
    const waiting = this.receipts.get(message);
    waiting?.shift()?.settle("delivered");
    if (waiting?.length === 0) this.receipts.delete(message);
  }

  /** The run is over: what has not arrived will not. */
  dropAll(): void {
    for (const waiting of this.receipts.values()) {
      for (const receipt of waiting) receipt.settle("dropped");
    }
    this.receipts.clear();
  }
}
