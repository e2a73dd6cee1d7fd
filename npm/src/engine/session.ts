/** Sessions in the wasm module: one call with JSON on both sides. */
import * as wasm from "../../pkg/steersman.js";
import { EngineLoadError } from "../errors.js";
import { currentGeneration, enter } from "./guard.js";
import { ready } from "./load.js";

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

/** Does an operation. Throws only when the engine is not loaded, or breaks down. */
export function callSession(
  key: SessionKey | undefined,
  request: Record<string, unknown>,
  text = "",
): SessionAnswer {
  const loading = ready();
  if (loading !== undefined) {
    loading.catch(() => {});
    throw new EngineLoadError(
      "wasm_load_failed",
      "The WebAssembly module is not loaded yet: await init() first.",
    );
  }
  const json = JSON.stringify(request);
  const place = key?.key ?? none;
  return JSON.parse(enter(() => wasm.sessionCall(place, json, text))) as SessionAnswer;
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
