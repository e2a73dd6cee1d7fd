import type { AgentEvent } from "./events.js";
import type { Hook, MaybePromise } from "./json.js";
import type { CustomMessage } from "./messages.js";

/** A tool call that somebody has to approve. Plain data. */
export interface ToolApprovalRequest {
  toolCallId: string;
  toolName: string;
  /** The tool's name for people. */
  label: string;
  /** A copy of what the tool will get: validated, and as `beforeToolCall` has left it. */
  args: unknown;
  /** See `ToolCall.argumentsText`: shows digits that `args` has lost. */
  argumentsText?: string;
}

/**
 * The call waits for `agent.approve()` or `agent.deny()`. Comes after the `tool_execution_start` of the call, only for
 * tools with `approval`. The call does not wait for the listeners of this event, only for the answer.
 */
export interface ToolApprovalRequestEvent extends ToolApprovalRequest {
  type: "tool_approval_request";
  /** For `approve()` and `deny()`; unique within the agent. */
  id: string;
}

/**
 * All that listeners of an agent can get. {@link AgentEvent} itself stays closed, so that code written for it goes on
 * compiling; a listener that wants requests annotates its parameter:
 *
 * ```ts
 * agent.subscribe((event: AgentEventWithApprovals) => {
 *   if (event.type === "tool_approval_request") show(event);
 * });
 * ```
 */
export type AgentEventWithApprovals<TCustom extends CustomMessage = never> =
  | AgentEvent<TCustom>
  | ToolApprovalRequestEvent;

/** The answer to a request. Only `approved: true` lets the tool run. */
export interface ToolApprovalDecision {
  approved: boolean;
  /** With `approved`: what the tool gets in place of its arguments. Validated again. */
  args?: unknown;
  /** Otherwise: what the model is told. */
  reason?: string | undefined;
}

/**
 * Decides about the calls of tools with `approval` in a run without an `Agent`. What it throws means no.
 *
 * @param signal fires when the answer no longer matters: the run was aborted, or the time for the decision is over
 */
export type ApproveToolCall = Hook<
  (request: ToolApprovalRequest, signal: AbortSignal) => MaybePromise<boolean | ToolApprovalDecision>
>;
