/** Limits and approvals around the start of a tool, and around the hook that decides about it. */
import { sealed, withApproval } from "../approvals/ask.js";
import { CallFailure, type StartCall } from "../limits/call.js";
import { within } from "../limits/within.js";
import type { AgentTool, AgentToolCall } from "../types.js";
import type { HostRun } from "./run.js";
import { checkedArguments } from "./validate.js";

/** The start of a tool behind all that may keep it from running; `start` itself when there is nothing. */
export function bounded(run: HostRun, tool: AgentTool, call: AgentToolCall, start: StartCall): StartCall {
  const { limiter, profile } = run;
  const { approval } = tool;
  const asks = approval !== undefined && approval !== null && approval !== false;
  if (!asks) return limiter ? limiter.admit(limiter.execute(start)) : start;
  const innermost = sealed(start);
  const asking = {
    tool,
    call,
    approve: run.config.approveToolCall,
    approvalMs: limiter?.approvalMs,
    validate: (args: unknown) => checkedArguments(tool, call, args, profile),
  };
  const approved = withApproval(asking, limiter?.execute(innermost) ?? innermost);
  return limiter?.admit(approved) ?? approved;
}

/** What a hook that decides about a call says. With `limits.approvalMs`: in time, and not after an abort. */
export function inTime<T>(run: HostRun, ask: () => T): T | Promise<Awaited<T>> {
  const ms = run.limiter?.approvalMs;
  if (ms === undefined) return ask();
  const late = () =>
    new CallFailure(`The tool call was not approved: no decision within ${ms} ms (limits.approvalMs)`);
  const bounds = { ms, late, signal: run.signal, graceMs: 0, aborted: () => CallFailure.aborted() };
  return within<Awaited<T>>(ask as () => Awaited<T>, bounds);
}
