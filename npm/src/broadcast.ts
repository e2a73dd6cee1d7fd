import { Channel } from "./channel.js";
import { Listeners } from "./listeners.js";
import type { AgentEvent, AgentListener, AsyncEvents, CustomMessage } from "./types.js";

/** Gets all events, whatever the listeners do with them, and cannot hold anything up. */
export interface Tap<TCustom extends CustomMessage> {
  push(event: AgentEvent<TCustom>): void;
  /** No more events will come. */
  close(): void;
}

/** Lets go of iterators that were dropped without being left: nobody can read what is kept for them. */
const abandoned = new FinalizationRegistry<() => void>((untap) => untap());

/** Hands events to the listeners, which the run waits for, and to the taps, which it does not wait for. */
export class Broadcast<TCustom extends CustomMessage> {
  private readonly _listeners = new Listeners<TCustom>();
  private readonly _taps = new Set<Tap<TCustom>>();

  subscribe(listener: AgentListener<TCustom>): () => boolean {
    return this._listeners.add(listener);
  }

  /** @returns removes the tap */
  tap(tap: Tap<TCustom>): () => void {
    this._taps.add(tap);
    return () => {
      this._taps.delete(tap);
    };
  }

  /** An iterator over all events from now on. */
  events(): AsyncEvents<AgentEvent<TCustom>> {
    const channel = new Channel<AgentEvent<TCustom>>();
    const untap = this.tap(channel);
    const iterator = channel.iterate(untap);
    abandoned.register(iterator, untap);
    return iterator;
  }

  /** Undefined: all listeners have finished. Throws, or rejects with, what a listener throws. */
  send(event: AgentEvent<TCustom>, signal: AbortSignal): undefined | Promise<void> {
    if (this._taps.size > 0) for (const tap of this._taps) tap.push(event);
    return event.type === "message_update"
      ? this._listeners.deliverUpdate(event, signal)
      : this._listeners.deliver(event, signal);
  }

  /** Ends all taps now, and removes the present listeners: now, or after `idle` where there is a run to wait for. */
  dispose(idle: Promise<void> | undefined): void {
    const taps = [...this._taps];
    this._taps.clear();
    for (const tap of taps) tap.close();
    const leaving = this._listeners.snapshot();
    const leave = () => {
      for (const listener of leaving) this._listeners.delete(listener);
    };
    if (idle) void idle.then(leave);
    else leave();
  }
}
