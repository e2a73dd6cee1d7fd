import { type OneInput, oneMessage } from "./input.js";
import { MessageQueue } from "./queue.js";
import { MessagesUnderWay, OpenReceipt, type QueuedMessage } from "./receipts.js";
import type { AgentMessage, CustomMessage, QueueMode, Receipt } from "./types.js";

/** Messages that a run starts with. */
export interface Prompts<TCustom extends CustomMessage> {
  readonly prompts: readonly AgentMessage<TCustom>[];
  /** They were steering messages: the first poll of the run must not take more of them. */
  readonly skipFirstPoll: boolean;
}

/** A run that starts with these messages, and then polls. */
export const starting = <TCustom extends CustomMessage>(
  prompts: readonly AgentMessage<TCustom>[],
): Prompts<TCustom> => ({ prompts, skipFirstPoll: false });

/** Both queues of an agent, and what has been taken out of them but is not in the transcript yet. */
export class Inbox<TCustom extends CustomMessage> {
  readonly steering: MessageQueue<TCustom>;
  readonly followUps: MessageQueue<TCustom>;
  private readonly _underWay = new MessagesUnderWay<TCustom>();
  private _receipts = 0;

  constructor(steeringMode: QueueMode, followUpMode: QueueMode) {
    this.steering = new MessageQueue(steeringMode);
    this.followUps = new MessageQueue(followUpMode);
  }

  get isEmpty(): boolean {
    return this.steering.length === 0 && this.followUps.length === 0;
  }

  /** The next messages, which stay queued. */
  peek(): AgentMessage<TCustom>[] {
    return this.steering.length > 0 ? this.steering.peek() : this.followUps.peek();
  }

  steer(input: OneInput<TCustom>): Receipt {
    return this._enqueue(this.steering, input);
  }

  followUp(input: OneInput<TCustom>): Receipt {
    return this._enqueue(this.followUps, input);
  }

  /** A message with a receipt, not queued anywhere yet. */
  entry(message: AgentMessage<TCustom>, queue?: MessageQueue<TCustom>): QueuedMessage<TCustom> {
    this._receipts++;
    return { message, receipt: new OpenReceipt(`m${this._receipts}`), queue };
  }

  /** Notes that a run has this message now. */
  take(entry: QueuedMessage<TCustom>): AgentMessage<TCustom>[] {
    return this._underWay.take([entry]);
  }

  takeSteering(): AgentMessage<TCustom>[] {
    return this._underWay.take(this.steering.drain());
  }

  takeFollowUps(): AgentMessage<TCustom>[] {
    return this._underWay.take(this.followUps.drain());
  }

  /** What a new run starts with: steering first, then follow-ups. Undefined when both queues are empty. */
  takeNext(): Prompts<TCustom> | undefined {
    if (this.isEmpty) return undefined;
    const skipFirstPoll = this.steering.length > 0;
    return { prompts: skipFirstPoll ? this.takeSteering() : this.takeFollowUps(), skipFirstPoll };
  }

  /** A message has entered the transcript. */
  delivered(message: AgentMessage<TCustom>): void {
    this._underWay.delivered(message);
  }

  /**
   * The run is over: what it had taken and not delivered is lost. Unless the engine crashed: that was nobody's doing, so
   * the messages go back to the head of their queues.
   */
  runEnded(crashed: boolean): void {
    for (const entry of this._underWay.takeAll().reverse()) {
      if (crashed && entry.queue) entry.queue.putBack(entry);
      else entry.receipt.settle("dropped");
    }
  }

  clear(): void {
    this.steering.clear();
    this.followUps.clear();
  }

  private _enqueue(queue: MessageQueue<TCustom>, input: OneInput<TCustom>): Receipt {
    const entry = this.entry(oneMessage(input), queue);
    queue.push(entry);
    return entry.receipt;
  }
}
