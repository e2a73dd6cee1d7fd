/**
 * Sessions in the engine: one call with JSON on both sides. Their code is a module of its own that works in the memory
 * of the first, so that only who imports `steersman/session` loads it.
 */
import { packed } from "../../pkg/session.js";
import * as wasm from "../../pkg/steersman.js";
import { currentGeneration, enter } from "./guard.js";
import type { WasmSource } from "../types.js";
import { compiled, loadError, ready, requireEngine, resolveModule } from "./load.js";
import { unpack } from "./unpack.js";

/** What an operation says: a value, or why it is refused. */
export type SessionAnswer =
  | { readonly value: unknown }
  | { readonly error: string; readonly line?: number | null };

/** A session in the module. It is gone when the module was restarted. */
export interface SessionKey {
  readonly key: number;
  readonly generation: number;
}

/** For operations that need no session. */
const none = -1;
const keys = new FinalizationRegistry<SessionKey>((key) => dropSession(key));

/** Does an operation, which is JSON. Throws only when the engine is not loaded, or breaks down. */
export function callSession(key: SessionKey | undefined, request: string): SessionAnswer {
  requireEngine();
  attach();
  const place = key?.key ?? none;
  return JSON.parse(enter(() => wasm.sessionCall(place, request))) as SessionAnswer;
}

/** Makes the engine ready for sessions, so that the first call need not. Rejects with an `EngineLoadError`. */
export async function readyForSessions(): Promise<void> {
  await ready();
  attach();
}

/**
 * Takes the engine's part for sessions from `source`, as `init` does with the engine. Only where nothing can be compiled
 * while a program runs (edge workers): give the import of `steersman/session.wasm`. Without a call the part comes out of
 * the JavaScript.
 *
 * @throws EngineLoadError when there is no module in it
 */
export async function initSessions(source: WasmSource): Promise<void> {
  try {
    module ??= compiled(await resolveModule(await source));
  } catch (error) {
    throw loadError(error);
  }
}

let module: WebAssembly.Module | undefined;
let attached: number | undefined;

/** Puts the second module beside the first; after a trap, beside the new instance. */
function attach(): void {
  if (attached === currentGeneration()) return;
  try {
    module ??= new WebAssembly.Module(unpack(packed));
    wasm.attach(module);
  } catch (error) {
    throw loadError(error);
  }
  attached = currentGeneration();
}

/** Whether a session is still in the module. */
export function isAlive(key: SessionKey): boolean {
  return key.generation === currentGeneration();
}

/** Keeps a session in the module for as long as `owner` lives. */
export function keepSession(owner: object, key: number): SessionKey {
  const kept = { key, generation: currentGeneration() };
  keys.register(owner, kept, kept);
  return kept;
}

/** Forgets a session. */
export function dropSession(key: SessionKey): void {
  keys.unregister(key);
  if (isAlive(key)) enter(() => wasm.dropSession(key.key));
}
