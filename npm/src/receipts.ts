import type { MessageQueue } from "./queue.js";
import type { AgentMessage, CustomMessage, Receipt, ReceiptOutcome } from "./types.js";

/** A receipt, seen from inside. */
export class OpenReceipt implements Receipt {
  readonly id: string;
  readonly settled: Promise<ReceiptOutcome>;
  private _outcome: Receipt["status"] = "queued";
  private _resolve!: (outcome: ReceiptOutcome) => void;

  constructor(id: string) {
    this.id = id;
    this.settled = new Promise((resolve) => {
      this._resolve = resolve;
    });
  }

  get status(): Receipt["status"] {
    return this._outcome;
  }

  /** The first outcome counts. */
  settle(outcome: ReceiptOutcome): void {
    if (this._outcome !== "queued") return;
    this._outcome = outcome;
    this._resolve(outcome);
  }
}

/** A message with the receipt that was given out for it. */
export interface QueuedMessage<TCustom extends CustomMessage> {
  readonly message: AgentMessage<TCustom>;
  readonly receipt: OpenReceipt;
  /** Where it was waiting; undefined: nowhere, it started a run. */
  readonly queue: MessageQueue<TCustom> | undefined;
}

/**
 * Messages that a run has taken out of a queue and that are not in the transcript yet. They are recognised by identity;
 * the same object may be under way more than once.
 */
export class MessagesUnderWay<TCustom extends CustomMessage> {
  private readonly _entries = new Map<AgentMessage<TCustom>, QueuedMessage<TCustom>[]>();

  take(entries: readonly QueuedMessage<TCustom>[]): AgentMessage<TCustom>[] {
    for (const entry of entries) {
      const waiting = this._entries.get(entry.message);
      if (waiting) waiting.push(entry);
      else this._entries.set(entry.message, [entry]);
    }
    return entries.map((entry) => entry.message);
  }

  /** The message has entered the transcript. */
  delivered(message: AgentMessage<TCustom>): void {
    if (this._entries.size === 0) return;
    const waiting = this._entries.get(message);
    waiting?.shift()?.receipt.settle("delivered");
    if (waiting?.length === 0) this._entries.delete(message);
  }

  /** The run is over: what has not arrived will not. */
  takeAll(): QueuedMessage<TCustom>[] {
    const all = [...this._entries.values()].flat();
    this._entries.clear();
    return all;
  }
}
