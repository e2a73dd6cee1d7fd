/** The engine as the shell sees it: load it, start runs. The only folder that knows the wasm module. */
import * as wasm from "../../pkg/steersman.js";
import type { Profile } from "../profile.js";
import type { AgentMessage, AgentToolCall, AgentToolCallOutcome, RunToolCallOptions } from "../types.js";
import { enter } from "./guard.js";
import { HostRun, type RunInput } from "./run.js";

export { isLoaded, ready, setLoader, type Loader } from "./load.js";
export type { RunInput } from "./run.js";

const PROFILE_BITS = [
  ["finishTurn", 1],
  ["prepareRequest", 2],
  ["recordEveryAbortedCall", 4],
  ["honourIsError", 8],
] as const satisfies readonly (readonly [keyof Profile, number])[];

/** The profile's rules that the engine itself follows, as the module reads them (src/profile.rs). */
function bits(profile: Profile): number {
  let sum = 0;
  for (const [name, bit] of PROFILE_BITS) if (profile[name]) sum |= bit;
  return sum;
}

/**
 * Start a run; the engine must be ready. The loop is polled once inside this call, so `agent_start` is emitted before
 * it returns. Resolves with the messages the run added (one live array); rejects with whatever user code threw.
 */
export function startRun(input: RunInput): Promise<AgentMessage[]> {
  const run = new HostRun(input);
  const profile = bits(input.profile);
  return run.start(() =>
    enter(() =>
      wasm.startRun(
        run,
        input.kind === "prompt" ? input.prompts : undefined,
        input.context,
        undefined,
        profile,
      ),
    ),
  ) as Promise<AgentMessage[]>;
}

/** Run one tool call outside a batch: same steps and hooks, no events, no messages. The engine must be ready. */
export function startToolCall(
  call: AgentToolCall,
  options: RunToolCallOptions,
  profile: Profile,
): Promise<AgentToolCallOutcome> {
  const run = HostRun._forToolCall(options, profile);
  const { context, assistantMessage } = options;
  return run.start(() =>
    enter(() => wasm.startRun(run, assistantMessage, context, call, bits(profile))),
  ) as Promise<AgentToolCallOutcome>;
}
