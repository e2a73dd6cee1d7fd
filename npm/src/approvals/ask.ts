import { describe } from "../engine/describe.js";
import { isThrown } from "../errors.js";
import { CallFailure, type CallInput, type StartCall } from "../limits/call.js";
import { LinkedAbort, within } from "../limits/within.js";
import type {
  AgentTool,
  AgentToolCall,
  ApproveToolCall,
  ToolApprovalDecision,
  ToolApprovalRequest,
} from "../types.js";
import { isSealed, seal } from "./seal.js";

/** A request as the agent's desk gets it. */
export interface ApprovalCase extends ToolApprovalRequest {
  /** Whether the arguments are still those of the request. */
  unchanged(): boolean;
  /** Checks other arguments. Throws or rejects when they are not valid. */
  validate(args: unknown): unknown;
}

/** What the decision about a call needs. */
export interface Asking {
  readonly tool: AgentTool;
  readonly call: AgentToolCall;
  /** Undefined: there is nobody to ask. */
  readonly approve: ApproveToolCall | undefined;
  readonly approvalMs: number | undefined;
  readonly validate: (args: unknown) => unknown;
}

/** A listener of the request threw. Unlike a failed decision it ends the run. */
export class RequestFailure extends Error {
  override name = "RequestFailure";

  constructor(thrown: unknown) {
    super("A listener of a tool_approval_request threw", { cause: thrown });
  }
}

/** Asks before the tool is started. Only a clear yes starts it; an abort, a time limit and a failure mean no. */
export function withApproval(asking: Asking, start: StartCall): StartCall {
  return async (input) => {
    const { approvalMs } = asking;
    const open = new LinkedAbort(input.signal);
    const late = () => refusal("timed_out", `no decision within ${approvalMs} ms (limits.approvalMs)`);
    const aborted = () => CallFailure.aborted();
    let approved: CallInput;
    try {
      const bounds = { ms: approvalMs, late, signal: input.signal, graceMs: 0, aborted };
      approved = await within(() => decide(asking, input, open.signal), bounds);
    } finally {
      open.release();
      // Nobody has to answer any more.
      open.abort(new Error("The decision about the call is made"));
    }
    return start(approved);
  };
}

/** Refuses arguments that somebody has changed since they were approved. */
export function sealed(start: StartCall): StartCall {
  return (input) => {
    if (input.seal !== undefined && !isSealed(input.args, input.seal)) {
      throw refusal("changed", "its arguments were changed after the approval");
    }
    return start(input);
  };
}

/** The input that the tool may be started with; throws when it may not. */
async function decide(asking: Asking, input: CallInput, signal: AbortSignal): Promise<CallInput> {
  const { tool, call, approve, validate } = asking;
  const { args, argumentsText } = input;
  if (!(await isAsked(tool, args))) return input;
  if (!approve) throw refusal("unavailable", "there is nobody to ask (approveToolCall is not set)");
  if (signal.aborted) throw CallFailure.aborted();
  let bound: string;
  let request: ApprovalCase;
  try {
    const text = seal(args);
    bound = text;
    request = {
      toolCallId: call.id,
      toolName: call.name,
      label: tool.label ?? tool.name,
      args: copied(args),
      ...(argumentsText === undefined ? {} : { argumentsText }),
      unchanged: () => isSealed(args, text),
      validate,
    };
  } catch (thrown) {
    throw refusal("failed", `its arguments cannot be shown: ${describe(thrown)}`);
  }
  const decision = await answer(approve, request, signal);
  if (decision.approved !== true) {
    const { reason } = decision;
    throw new CallFailure(reason || "The user did not approve this tool call.", { approval: "denied" });
  }
  if (decision.args === undefined) return { ...input, seal: bound };
  const replaced = await validate(decision.args);
  return { ...input, args: replaced, argumentsText: undefined, seal: seal(replaced) };
}

/** Only `false` says that a call needs no approval. */
async function isAsked({ approval }: AgentTool, args: unknown): Promise<boolean> {
  if (typeof approval !== "function") return true;
  try {
    return (await approval(args as never)) !== false;
  } catch (thrown) {
    throw refusal("failed", `the check failed: ${describe(thrown)}`);
  }
}

async function answer(
  approve: ApproveToolCall,
  request: ApprovalCase,
  signal: AbortSignal,
): Promise<ToolApprovalDecision> {
  try {
    const said: unknown = await approve(request, signal);
    return typeof said === "object" && said !== null
      ? (said as ToolApprovalDecision)
      : { approved: said === true };
  } catch (thrown) {
    if (isThrown(thrown, RequestFailure)) throw thrown;
    throw refusal("failed", `the decision failed: ${describe(thrown)}`);
  }
}

function refusal(approval: string, why: string): CallFailure {
  return new CallFailure(`The tool call was not approved: ${why}`, { approval });
}

/** For showing only. What cannot be copied is shown as it is; the seal watches it. */
function copied(args: unknown): unknown {
  try {
    return structuredClone(args);
  } catch {
    return args;
  }
}
