/** Breaking the engine on purpose, for `steersman/testing`. */
import * as wasm from "../../pkg/steersman.js";
import { AgentError } from "../errors.js";
import { enter } from "./guard.js";
import { isLoaded } from "./load.js";

/** How the engine is broken: a panic, a stack overflow, or a panic inside the next piece of a response body. */
export type Crash = "panic" | "stack" | "decoder";

const HOW = { panic: 0, stack: 1, decoder: 2 } as const satisfies Record<Crash, number>;

/**
 * Breaks the engine of this page, so that a test can see what a crash does to the application. All runs in progress end
 * as they would after a real one: with a message that has `errorMessage` and the code `engine_crash` in its
 * `diagnostics`, and with their closing events. Transcripts and queues stay, and the next prompt works.
 *
 * May be called anywhere: in a listener, a hook, a tool. It returns normally.
 *
 * @param how `panic` and `stack` (a stack overflow) break it now; `decoder` breaks it in the next piece of a response
 *   body that arrives for a built-in wire
 * @throws AgentError `invalid_request` when the engine was not loaded yet
 */
export function crashEngine(how: Crash): void {
  if (!isLoaded()) {
    throw new AgentError(
      "invalid_request",
      "The engine is not loaded, so there is nothing to crash. Await init().",
    );
  }
  const mode = HOW[how];
  try {
    enter(() => wasm.breakDown(mode));
  } catch {
    // That was the point.
  }
}
