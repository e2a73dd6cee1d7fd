import { isThenable } from "./engine/describe.js";
import type { AgentEvent, AgentListener, CustomMessage } from "./types.js";

/**
 * The listeners of an agent. The set is live while an event is delivered: a listener that is removed meanwhile is not
 * called any more, one that is added gets the event too.
 */
export class Listeners<TCustom extends CustomMessage> {
  private readonly _set = new Set<AgentListener<TCustom>>();

  /** @returns a function that removes the listener; it tells whether the listener was still there */
  add(listener: AgentListener<TCustom>): () => boolean {
    this._set.add(listener);
    return () => this._set.delete(listener);
  }

  /** The present listeners. */
  snapshot(): AgentListener<TCustom>[] {
    return [...this._set];
  }

  delete(listener: AgentListener<TCustom>): void {
    this._set.delete(listener);
  }

  /**
   * Calls and awaits one listener after the other. The first is called at once; after each there is at least one
   * microtask, which recorded runs rely on. Rejects with what a listener throws.
   */
  async deliver(event: AgentEvent<TCustom>, signal: AbortSignal): Promise<void> {
    for (const listener of this._set) await listener(event, signal);
  }

  /**
   * The same for the many `message_update` events: a listener is awaited only if it returns a thenable. Undefined means
   * that all have finished. Throws, or rejects, what a listener throws.
   */
  deliverUpdate(event: AgentEvent<TCustom>, signal: AbortSignal): undefined | Promise<void> {
    const rest = this._set.values();
    for (let step = rest.next(); !step.done; step = rest.next()) {
      const listener = step.value;
      const pending: unknown = listener(event, signal);
      if (isThenable(pending)) return this._finish(pending, rest, event, signal);
    }
    return undefined;
  }

  private async _finish(
    pending: PromiseLike<unknown>,
    rest: Iterator<AgentListener<TCustom>>,
    event: AgentEvent<TCustom>,
    signal: AbortSignal,
  ): Promise<void> {
    await pending;
    for (let step = rest.next(); !step.done; step = rest.next()) {
      const listener = step.value;
      await listener(event, signal);
    }
  }
}
