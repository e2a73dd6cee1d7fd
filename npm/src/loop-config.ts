import type { ApprovalCase } from "./approvals/ask.js";
import type { Inbox } from "./inbox.js";
import type { AgentSettings } from "./settings.js";
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
  const { shouldStopAfterTurn, maxRetries, fallbackModels, coalesce } = agent;
  let skipPoll = skipFirstPoll;
  return {
    model,
    reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
    sessionId: agent.sessionId,
    onPayload: agent.onPayload,
    onResponse: agent.onResponse,
    onProviderStreamEvent: agent.onProviderStreamEvent,
    transport: agent.transport,
    thinkingBudgets: agent.thinkingBudgets,
    maxRetryDelayMs: agent.maxRetryDelayMs,
    // Stream functions of others see these only when somebody has set them.
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(fallbackModels === undefined ? {} : { fallbackModels }),
    ...(coalesce === undefined ? {} : { coalesce }),
    identity: agent.identity,
    toolExecution: agent.toolExecution,
    beforeToolCall: agent.beforeToolCall,
    afterToolCall: agent.afterToolCall,
    finishTurn: agent.finishTurn,
    prepareRequest: agent.prepareRequest,
    shouldStopAfterTurn: shouldStopAfterTurn && (async (turn) => shouldStopAfterTurn(turn, agent.signal)),
    prepareNextTurn:
      agent.prepareNextTurnWithContext || agent.prepareNextTurn
        ? async (turn) =>
            agent.prepareNextTurnWithContext
              ? agent.prepareNextTurnWithContext(turn, agent.signal)
              : agent.prepareNextTurn?.(agent.signal)
        : undefined,
    convertToLlm: agent.convertToLlm,
    transformContext: agent.transformContext,
    getApiKey: agent.getApiKey,
    getSteeringMessages: async () => {
      if (skipPoll) {
        skipPoll = false;
        return [];
      }
      return inbox.takeSteering();
    },
    getFollowUpMessages: async () => inbox.takeFollowUps(),
    steering: agent.steering,
    hasSteeringMessages: () => inbox.steering.length > 0,
    approveToolCall,
  };
}
