/** `steersman/pi-0.85`: the same package with the loop and the `Agent` behaving as in pi-agent-core 0.85.1. */
import { Agent as CurrentAgent } from "../agent.js";
import { createLoopApi } from "../agent-loop.js";
import { inlineLoader } from "../engine/inline.js";
import { setLoader } from "../engine/load.js";
import { OLD } from "../profile.js";
import type { AgentOptions, AgentState as CurrentAgentState, CustomMessage } from "../types.js";

setLoader(inlineLoader);

/** The state of an agent. Unlike in later versions the system prompt can be assigned. */
export interface AgentState<TCustom extends CustomMessage = never>
  extends Omit<CurrentAgentState<TCustom>, "systemPrompt"> {
  /** Sent with each request of the next runs. */
  systemPrompt: string;
}

/** See `Agent` of the main entry. The system prompt is part of the state here, not of the transcript. */
export class Agent<TCustom extends CustomMessage = never> extends CurrentAgent<TCustom> {
  constructor(options?: AgentOptions<TCustom>) {
    super(options, OLD);
  }

  /** The live state. */
  override get state(): AgentState<TCustom> {
    return super.state as AgentState<TCustom>;
  }
}

export const { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue, runToolCall } =
  createLoopApi(OLD);

export * from "../shared.js";
