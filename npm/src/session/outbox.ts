/** Messages that a page which only follows hands to the one that writes (SESSIONS 6). */
import { AgentBusyError } from "../errors.js";
import { OpenReceipt } from "../receipts.js";
import type { AgentMessage, Receipt, ReceiptOutcome } from "../types.js";
import { uuid } from "./call.js";
import type { SessionCore } from "./core.js";
import { ownersOf } from "./owners.js";

/** What pages tell each other: a message, or what has become of one. */
export interface Handed {
  id: string;
  message?: AgentMessage;
  /** How many entries the session had before: the message can only be behind them. */
  since?: number;
  outcome?: ReceiptOutcome;
}

/** See the module. */
export class Outbox {
  /** Messages of this page that are not stored yet. */
  private readonly open = new Map<OpenReceipt, Handed>();
  /** Messages, of any page, that this page has taken on. */
  private readonly taken = new Set<string>();

  constructor(private readonly core: SessionCore) {}

  send(message: AgentMessage): Receipt {
    const receipt = new OpenReceipt(uuid());
    const handed = { id: receipt.id, message };
    this.open.set(receipt, handed);
    void this.go(receipt, handed);
    return receipt;
  }

  /** The store has moved, or its writer may be another one. */
  look(): void {
    for (const [receipt, handed] of this.open) void this.go(receipt, handed);
  }

  async hear(handed: Handed): Promise<void> {
    const { id, message, outcome } = handed;
    if (outcome) {
      for (const receipt of this.open.keys())
        if (receipt.id === id) {
          await this.core.follow();
          this.settle(receipt, outcome);
        }
    } else if (message?.role && this.core.role === "writer") {
      const became = await this.take(handed);
      if (became) this.post({ id, outcome: became });
    }
  }

  close(): void {
    for (const receipt of this.open.keys()) this.settle(receipt, "dropped");
  }

  private async go(receipt: OpenReceipt, handed: Handed): Promise<void> {
    const { core } = this;
    try {
      await core.ready;
      handed.since ??= core.tree.count - core.recorder.unsaved;
      if (core.role === "mirror") this.post(handed);
      else {
        const outcome = await this.take(handed);
        if (outcome) this.settle(receipt, outcome);
      }
    } catch (thrown) {
      this.settle(receipt, "dropped");
      core.warn("A message could not be handed on.", thrown);
    }
  }

  /** `undefined`: it is under way, or for another page to take on. */
  private async take(handed: Handed): Promise<ReceiptOutcome | undefined> {
    const { core, taken } = this;
    const { id, message } = handed as Handed & { message: AgentMessage };
    if (taken.has(id)) return undefined;
    taken.add(id);
    // Not in the queue of the agent, where it would stay when another page takes over, which gets it too.
    while (core.agent.state.isStreaming) await core.agent.waitForIdle();
    let outcome: ReceiptOutcome | undefined;
    if (core.role === "writer")
      outcome = this.has(handed) ? "delivered" : await core.agent.send(message).settled;
    await core.recorder.flush();
    if (outcome === "delivered" ? core.recorder.unsaved === 0 : core.role === "writer") return outcome;
    taken.delete(id);
    return undefined;
  }

  /** Whether the session has a message: who took it on may have gone before it could say so. */
  private has({ message, since = 0 }: Handed): boolean {
    const { tree } = this.core;
    const text = JSON.stringify(message);
    for (let place = tree.count - 1; place >= since; place--) {
      if (JSON.stringify((tree.at([place])[0] as { message?: AgentMessage }).message) === text) return true;
    }
    return false;
  }

  /** Tells the other sessions on the store. @throws AgentBusyError nobody can hear it; what cannot be cloned */
  private post(message: Handed): void {
    const { store } = this.core;
    const others = ownersOf(store).filter((other) => other !== this.core);
    if (!store.post && others.length === 0)
      throw new AgentBusyError("No page that writes can hear this one; takeOver() makes it the writer.");
    store.post?.(message);
    for (const other of others) other.heard(message);
  }

  private settle(receipt: OpenReceipt, outcome: ReceiptOutcome): void {
    receipt.settle(outcome);
    this.open.delete(receipt);
  }
}
