// The public surface, with the behaviour of pi-agent-core 1.6.0. The entries add how the wasm module is found.
import { createLoopApi, type LoopApi } from "./agent-loop.js";
import { CURRENT } from "./profile.js";

const loops: LoopApi = createLoopApi(CURRENT);

/**
 * Starts a run with new messages and returns its events, without waiting for their reader. The stream always ends;
 * `result()` gives the new messages. Details: {@link LoopApi.agentLoop}.
 */
export const agentLoop = loops.agentLoop;
/** Like `agentLoop`, from the context as it is. Details: {@link LoopApi.agentLoopContinue}. */
export const agentLoopContinue = loops.agentLoopContinue;
/**
 * Runs with new messages and waits for `emit` at every event. Rejects with whatever a callback throws. Details:
 * {@link LoopApi.runAgentLoop}.
 */
export const runAgentLoop = loops.runAgentLoop;
/** Like `runAgentLoop`, from the context as it is. Details: {@link LoopApi.runAgentLoopContinue}. */
export const runAgentLoopContinue = loops.runAgentLoopContinue;
/** Runs one tool call with validation and hooks, for tools that call tools. Details: {@link LoopApi.runToolCall}. */
export const runToolCall = loops.runToolCall;

export { Agent } from "./agent.js";
export * from "./shared.js";
