// Limits and approvals as an application writes them. Compiled, never run.
import {
  Agent,
  type AgentEvent,
  type AgentEventWithApprovals,
  type AgentLoopConfig,
  type AgentOptions,
  type AgentTool,
  type AgentToolParams,
  type ApproveToolCall,
  type RunLimits,
  runToolCall,
  type StreamFn,
  type ToolApprovalRequest,
  type ToolApprovalRequestEvent,
  tool,
} from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";

declare const streamFn: StreamFn;
declare const standard: {
  "~standard": {
    validate(value: unknown): { value: { amount: number } };
    types?: { input: { amount: string }; output: { amount: number } };
  };
};
declare function handle(event: AgentEvent): void;

const limits: RunLimits = {
  idleMs: 1,
  toolMs: 1,
  approvalMs: 1,
  maxTurns: 1,
  maxToolCalls: 1,
  maxTokens: 1,
  maxCost: 1,
};
const options: AgentOptions = {
  streamFn,
  limits,
  toolAbortGraceMs: 1,
  toolConcurrency: 1,
  steering: "tool-boundary",
};
const agent = new Agent(options);
new OldAgent({ ...options, limits: undefined });
agent.limits = { maxTurns: 3 };
agent.limits = undefined;
agent.steering = undefined;
// @ts-expect-error no such limit
agent.limits = { maxSteps: 3 };
// @ts-expect-error the only other way of steering
agent.steering = "always";

// The union of events stays closed; who wants requests says so.
agent.subscribe((event) => handle(event));
agent.subscribe(async (event: AgentEventWithApprovals) => {
  if (event.type !== "tool_approval_request") return handle(event);
  const request: ToolApprovalRequestEvent = event;
  const done: boolean = agent.approve(request.id) || agent.approve(request.id, { amount: 1 });
  if (!done) agent.deny(event.id, "no");
});
const waiting: ToolApprovalRequest | undefined = agent.pendingApprovals[0];
console.log(waiting?.label, waiting?.argumentsText);

// `approval` gets the arguments with the type that the schema gives.
const pay = tool({
  ...{ name: "pay", description: "", parameters: standard },
  approval: ({ amount }) => amount.toFixed() !== "0",
  execute: async () => ({ content: [], details: undefined }),
});
const asks: AgentTool[] = [pay, { ...pay, approval: true }, { ...pay, approval: undefined }];
const check: AgentTool<typeof standard>["approval"] = async (args: AgentToolParams<typeof standard>) =>
  args.amount > 1;
console.log(asks.length, check);

const approveToolCall: ApproveToolCall = async (request, signal) =>
  signal.aborted ? false : { approved: true, args: request.args };
export const config: Partial<AgentLoopConfig> = { limits, approveToolCall, hasSteeringMessages: () => true };
void runToolCall(
  { type: "toolCall", id: "", name: "", arguments: {} },
  {
    ...{ tools: asks, context: { messages: [] }, approveToolCall: () => true, limits: { toolMs: 5 } },
    assistantMessage: agent.state.messages.find((message) => message.role === "assistant") ?? never(),
  },
);
declare function never(): never;
