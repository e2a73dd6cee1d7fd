import type { ApprovalCase } from "./approvals/ask.js";
import type { Inbox } from "./inbox.js";
import { type AgentSettings, TAKEN_OVER, TAKEN_OVER_IF_SET } from "./settings.js";
import type { AgentLoopConfig, CustomMessage, ToolApprovalDecision } from "./types.js";

/**
 * The configuration of one run. Most settings are read now; `prepareNextTurn*` are read at each call, if there was one
 * of them when the run started.
 *
 * @param skipFirstPoll the prompts of this run were steering messages, so the first poll must not take more of them
 * @param approveToolCall asks for approvals
 */
export function loopConfig<TCustom extends CustomMessage>(
  agent: AgentSettings<TCustom>,
  inbox: Inbox<TCustom>,
  skipFirstPoll: boolean,
  approveToolCall: (request: ApprovalCase, signal: AbortSignal) => Promise<ToolApprovalDecision>,
): AgentLoopConfig<TCustom> {
  const { model, thinkingLevel } = agent.state;
  const { shouldStopAfterTurn } = agent;
  let skipPoll = skipFirstPoll;
  const config: AgentLoopConfig<TCustom> = {
    model,
    reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
    shouldStopAfterTurn: shouldStopAfterTurn && (async (turn) => shouldStopAfterTurn(turn, agent.signal)),
    prepareNextTurn:
      agent.prepareNextTurnWithContext || agent.prepareNextTurn
        ? async (turn) =>
            agent.prepareNextTurnWithContext
              ? agent.prepareNextTurnWithContext(turn, agent.signal)
              : agent.prepareNextTurn?.(agent.signal)
        : undefined,
    convertToLlm: agent.convertToLlm,
    getSteeringMessages: async () => {
      if (skipPoll) {
        skipPoll = false;
        return [];
      }
      return inbox.takeSteering();
    },
    getFollowUpMessages: async () => inbox.takeFollowUps(),
    hasSteeringMessages: () => inbox.steering.length > 0,
    approveToolCall,
  };
  for (const name of TAKEN_OVER) Object.assign(config, { [name]: agent[name] });
  for (const name of TAKEN_OVER_IF_SET)
    if (agent[name] !== undefined) Object.assign(config, { [name]: agent[name] });
  return config;
}
