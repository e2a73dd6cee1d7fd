/**
 * The one guarded way into the module.
 *
 * Every import of the module is declared to catch, so an exception that leaves an export is a trap: a panic, a stack
 * overflow, or out of memory. The module's state is not to be trusted after that. Everything in flight is ended, the
 * module is instantiated anew, and answers to the old instance go nowhere.
 */
import { EngineCrashError } from "../errors.js";
import { describe } from "./describe.js";

/** Something that dies with the instance: a run, a response stream. */
export interface InFlight {
  /** The instance is gone; end with this error. Called once, outside of the module. */
  crash(error: EngineCrashError): void;
}

const inFlight = new Set<InFlight>();
const resets: (() => void)[] = [];
let depth = 0;
let trap: { error: unknown } | undefined;
let generation = 0;

/** Number of the module's instance; values that belong to another instance are dead. */
export function currentGeneration(): number {
  return generation;
}

/** Register something that must be ended when the instance traps. */
export function track(item: InFlight): void {
  inFlight.add(item);
}

/** It ended by itself. */
export function untrack(item: InFlight): void {
  inFlight.delete(item);
}

/** Call `reset` after each trap, when nothing of the old instance is on the stack any more. */
export function onReset(reset: () => void): void {
  resets.push(reset);
}

/** A call has trapped and frames of the old instance are still on the stack: nothing that it says counts any more. */
export function isBroken(): boolean {
  return trap !== undefined;
}

/**
 * Call an export. A trap is thrown on as it is after everything in flight was ended; inside another call the outermost
 * one does that, for its frames still stand on the old instance. Until then no call gets in.
 *
 * `call` must do nothing else: whatever it throws is taken for a trap.
 */
export function enter<T>(call: () => T): T {
  if (trap) throw crashError(trap.error);
  depth++;
  try {
    return call();
  } catch (error) {
    trap ??= { error };
    throw error;
  } finally {
    depth--;
    if (depth === 0 && trap) recover(trap.error);
  }
}

function recover(cause: unknown): void {
  trap = undefined;
  generation++;
  const error = crashError(cause);
  const victims = [...inFlight];
  inFlight.clear();
  try {
    for (const reset of resets) reset();
  } finally {
    // Also when there is no memory for a new instance: then the next call traps and tries again.
    for (const victim of victims) victim.crash(error);
  }
}

function crashError(cause: unknown): EngineCrashError {
  return new EngineCrashError(`The engine crashed and was restarted: ${describe(cause)}`, { cause });
}
