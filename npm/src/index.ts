// The public surface, with the behaviour of pi-agent-core 1.6.0. The entries add how the wasm module is found.
import { createLoopApi } from "./agent-loop.js";
import { profile } from "./profile.js";

const loops = createLoopApi(profile("1.6.0"));

/** See `LoopApi.agentLoop`: starts a run with new messages and returns its events. */
export const agentLoop = loops.agentLoop;
/** See `LoopApi.agentLoopContinue`: starts a run from the context as it is and returns its events. */
export const agentLoopContinue = loops.agentLoopContinue;
/** See `LoopApi.runAgentLoop`: runs with new messages; the run waits for `emit`. */
export const runAgentLoop = loops.runAgentLoop;
/** See `LoopApi.runAgentLoopContinue`: runs from the context as it is; the run waits for `emit`. */
export const runAgentLoopContinue = loops.runAgentLoopContinue;
/** See `LoopApi.runToolCall`: runs one tool call with validation and hooks. */
export const runToolCall = loops.runToolCall;

export { Agent } from "./agent.js";
export * from "./shared.js";
