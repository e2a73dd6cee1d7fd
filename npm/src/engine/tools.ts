/** Executing a tool, and the objects that come out of it. */
import type { Profile } from "../profile.js";
import type {
  AfterToolCallResult,
  AgentTool,
  AgentToolCall,
  AgentToolResult,
  ToolResultMessage,
} from "../types.js";
import { AgentError, isThrown } from "../errors.js";
import { CallFailure, type CallInput } from "../limits/call.js";
import { RequestFailure } from "../approvals/ask.js";
import { bounded } from "./bounded.js";
import { describe } from "./describe.js";
import type { HostRun } from "./run.js";

/** How an execution ended, as the module reads it: whether well, the result or what was thrown, the milliseconds. */
export type Execution = readonly [boolean, unknown, number | undefined];

/**
 * Run a tool. Updates are delivered at once and awaited before this resolves; after the tool has settled, `onUpdate`
 * does nothing. Rejects only when a listener failed.
 */
export async function executeTool(
  run: HostRun,
  tool: AgentTool,
  call: AgentToolCall,
  args: unknown,
): Promise<Execution> {
  const updates: Promise<unknown>[] = [];
  let open = true;
  const onUpdate = (partialResult: AgentToolResult): void => {
    if (!open || run.dead) return;
    const event = {
      type: "tool_execution_update",
      toolCallId: call.id,
      toolName: call.name,
      args: call.arguments,
      partialResult,
    } as const;
    updates.push(Promise.resolve(run.emit(event)));
  };
  let startedAt: number | undefined;
  const start = (input: CallInput): unknown => {
    // A call that waited for an approval or for its turn may come after the end of a run that failed.
    if (run.over) throw CallFailure.aborted();
    if (input.args !== args) run._replaced.set(call, input.args);
    startedAt = performance.now();
    return invoke(tool, call, input, onUpdate);
  };
  let ok = true;
  let value: unknown;
  try {
    const input = { args, signal: run.signal, argumentsText: call.argumentsText };
    value = await bounded(run, tool, call, start)(input);
  } catch (thrown) {
    if (isThrown(thrown, RequestFailure)) throw thrown.cause;
    ok = false;
    value =
      startedAt !== undefined || isThrown(thrown, CallFailure) ? thrown : new CallFailure(describe(thrown));
  }
  open = false;
  const durationMs =
    run.profile.durationMs && startedAt !== undefined ? Math.round(performance.now() - startedAt) : undefined;
  await Promise.all(updates);
  return [ok, value, durationMs];
}

/** A call whose arguments lost digits as JavaScript numbers brings their exact text as a fifth parameter. */
function invoke(
  tool: AgentTool,
  call: AgentToolCall,
  { args, signal, argumentsText }: CallInput,
  onUpdate: (partialResult: AgentToolResult) => void,
): unknown {
  // The validated arguments have the type that the tool's own schema promises.
  const execute = tool.execute as (...values: unknown[]) => unknown;
  if (typeof execute !== "function") {
    throw new AgentError("invalid_request", `Tool "${tool.name}" has no execute function`);
  }
  return argumentsText === undefined
    ? execute.call(tool, call.id, args, signal, onUpdate)
    : execute.call(tool, call.id, args, signal, onUpdate, { argumentsText });
}

/** Result of a call that failed or was refused; kinds as in `src/js/host.rs`. */
export function errorResult(kind: number, subject: unknown, terminate: boolean): AgentToolResult {
  const failure = kind === 4 && isThrown(subject, CallFailure) ? subject : undefined;
  const result: AgentToolResult = {
    content: [{ type: "text", text: problemText(kind, subject) }],
    details: failure?.details ?? {},
  };
  if (terminate) result.terminate = true;
  if (failure && !failure.started) refused.add(result);
  return result;
}

/** Results of calls that a limit or an approval kept from running. */
const refused = new WeakSet<AgentToolResult>();

/** Whether this is the result of a call that was refused after `beforeToolCall`: `afterToolCall` has nothing to see. */
export function neverRan(result: AgentToolResult): boolean {
  return refused.has(result);
}

function problemText(kind: number, subject: unknown): string {
  switch (kind) {
    case 0:
      return "Operation aborted";
    case 1:
      return `Tool ${(subject as AgentToolCall).name} not found`;
    case 2:
      return `Tool call "${(subject as AgentToolCall).name}" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.`;
    case 3:
      return typeof subject === "string" && subject !== "" ? subject : "Tool execution was blocked";
    case 5:
      return "Tool call skipped: the user sent a message before it ran.";
    default:
      return describe(subject);
  }
}

/** The result after `afterToolCall`: given fields replace, null and undefined keep. */
export function mergeAfterResult(
  result: AgentToolResult,
  isError: boolean,
  said: AfterToolCallResult,
  profile: Profile,
): readonly [AgentToolResult, boolean] {
  const value: AgentToolResult = {
    ...result,
    content: said.content ?? result.content,
    details: (said.details ?? result.details) as AgentToolResult["details"],
  };
  const usage = said.usage ?? result.usage;
  const terminate = said.terminate ?? result.terminate;
  if (usage !== undefined) value.usage = usage;
  if (terminate !== undefined) value.terminate = terminate;
  if (profile.dropStaleStructuredContent) {
    // Structured content that was not replaced together with the content may no longer say the same.
    const structured = said.structuredContent ?? (said.content ? undefined : result.structuredContent);
    if (structured === undefined) delete value.structuredContent;
    else value.structuredContent = structured;
  }
  return [value, said.isError ?? isError];
}

/** The transcript message of a finished call. A result without content (untyped tools) counts as empty. */
export function resultMessage(
  call: AgentToolCall,
  result: AgentToolResult,
  isError: boolean,
  durationMs: number | undefined,
  profile: Profile,
): ToolResultMessage {
  const { addedToolNames } = result as { addedToolNames?: readonly string[] };
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: result.content ?? [],
    details: result.details,
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    ...(profile.addedToolNames && addedToolNames?.length ? { addedToolNames } : {}),
    isError,
    ...(durationMs === undefined ? {} : { durationMs }),
    timestamp: Date.now(),
  };
}
