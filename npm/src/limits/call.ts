import type { AgentTool, AgentToolCall, JsonObject } from "../types.js";

/** What a tool is started with. */
export interface CallInput {
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  /** The exact text of the arguments, where values lost something. */
  readonly argumentsText: string | undefined;
  /** What the arguments looked like when they were approved. */
  readonly seal?: string;
}

/** Starts a tool. Limits and approvals wrap it. */
export type StartCall = (input: CallInput) => unknown;

/** A call that is about to run. */
export interface Call {
  readonly tool: AgentTool;
  readonly call: AgentToolCall;
}

/** Why a call has no result of its tool; becomes the error result. */
export class CallFailure extends Error {
  override name = "CallFailure";
  /** For programs; `details` of the result. */
  readonly details: JsonObject;
  /** Whether the tool was started. */
  readonly started: boolean;

  constructor(message: string, details: JsonObject = {}, started = false) {
    super(message);
    this.details = details;
    this.started = started;
  }

  /** In the words of every aborted call. */
  static aborted(started = false): CallFailure {
    return new CallFailure("Operation aborted", {}, started);
  }
}
