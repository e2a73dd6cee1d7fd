// What became of every queued message, and whether its receipt says the same.

/** By the identity of the message. */
export class Ledger {
  #entries = new Map();

  get size() {
    return this.#entries.size;
  }

  queued(message, receipt) {
    this.#entries.set(keyOf(message), { message, receipt, fate: "queued" });
  }

  /** Messages that are about to be cleared. */
  cleared(messages) {
    for (const message of messages) {
      const entry = this.#entries.get(keyOf(message));
      if (entry) entry.fate = "cleared";
    }
  }

  /** A message entered the transcript; gives a problem, or undefined. */
  delivered(message) {
    const entry = this.#entries.get(keyOf(message));
    if (!entry) return undefined;
    if (entry.fate !== "queued") return `${entry.message.content} was ${entry.fate} and is delivered`;
    entry.fate = "delivered";
    return undefined;
  }

  /**
   * A run is over: every message is accounted for.
   *
   * @param mayLose the run failed, and with it what it had taken out of the queues
   * @returns problems
   */
  settle(waiting, mayLose) {
    const problems = [];
    const keys = waiting.map(keyOf);
    for (const [key, entry] of this.#entries) {
      const places = keys.filter((other) => other === key).length;
      if (entry.fate === "queued" && places === 0 && mayLose) entry.fate = "lost";
      const { message, receipt, fate } = entry;
      if (places !== (fate === "queued" ? 1 : 0)) {
        problems.push(`${message.content} is ${fate} and ${places} times queued`);
      }
      const status = { queued: "queued", delivered: "delivered", cleared: "dropped", lost: "dropped" }[fate];
      if (receipt.status !== status)
        problems.push(`${message.content} is ${fate}, its receipt says ${receipt.status}`);
    }
    return problems;
  }
}

/** A system message may enter as a copy that declares tools too; its text is its own. */
const keyOf = (message) => (message.role === "system" ? message.content : message);
