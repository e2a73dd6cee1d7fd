import type { Hook, JsonValue, Loose, MaybePromise } from "./json.js";
import type { ImageContent, TextContent, ToolCall, Usage } from "./messages.js";
import type { AgentToolParams } from "./schema.js";

/** What the model is told about a tool. */
export interface Tool<TParameters extends object = object> {
  name: string;
  description: string;
  /** JSON Schema of the arguments, or a schema object that can give one (see {@link AgentToolParams}). */
  parameters: TParameters;
  /** Ask the provider to hold the model to the schema or to a grammar. */
  constrainedSampling?: false | ConstrainedSamplingConfig;
}

/** How the provider should constrain what the model writes into a call. */
export type ConstrainedSamplingConfig =
  | { type: "json_schema"; strict: "prefer" | "require" }
  | { type: "grammar"; variants: { openai_lark?: string; openai_regex?: string } };

/** A tool, by name. */
export interface ToolReference {
  name: string;
}

/** Run the calls of one message one after the other, or together. */
export type ToolExecutionMode = "sequential" | "parallel";

/** What a tool returns, or reports while it runs. */
export interface AgentToolResult<TDetails = JsonValue | undefined> {
  /** What the model reads. */
  content: (TextContent | ImageContent)[];
  /** Data for logs and the user interface; never sent to the model. */
  details: TDetails;
  /** Machine-readable result for programs, matching `outputSchema`; never sent to the model. */
  structuredContent?: JsonValue;
  /** What the tool itself used, when it called a model. */
  usage?: Usage;
  /** Report a failure without throwing: the model gets `content` as an error. */
  isError?: boolean;
  /** Stop after this batch. It counts only when every result of the batch says so. */
  terminate?: boolean;
}

/** Reports progress of the running call. Calls after the tool has settled are ignored. */
export type AgentToolUpdateCallback<TDetails = Loose> = Hook<
  (partialResult: AgentToolResult<TDetails>) => void
>;

/** A tool that the agent can run. */
export interface AgentTool<TParameters extends object = object, TDetails = Loose> extends Tool<TParameters> {
  /** Name to show to people. */
  label: string;
  /**
   * Repairs raw arguments before they are validated. What it throws becomes the error result of the call.
   *
   * @param args what the model sent
   */
  prepareArguments?: Hook<(args: unknown) => AgentToolParams<TParameters>> | undefined;
  /** JSON Schema of `structuredContent`. */
  outputSchema?: object;
  /**
   * Runs the call. Throw to report a failure: the message of the error is what the model reads.
   *
   * @param toolCallId id of the call
   * @param params validated arguments; this copy belongs to the call
   * @param signal fires when the run is aborted; the loop waits for the tool all the same
   * @param onUpdate reports progress as `tool_execution_update`
   * @param exact the exact text of the arguments, only when reading them as JavaScript values lost something
   */
  execute(
    toolCallId: string,
    params: AgentToolParams<TParameters>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
    exact?: { readonly argumentsText: string },
  ): Promise<AgentToolResult<TDetails>>;
  /**
   * Whether somebody has to approve a call before it runs: always, or as the function says about the validated
   * arguments. The question comes after `beforeToolCall`; `Agent` asks with the event `tool_approval_request`, a run
   * without one calls `approveToolCall`. Only `false` lets a call run unasked; a function that throws refuses it.
   */
  approval?: boolean | Hook<(args: AgentToolParams<TParameters>) => MaybePromise<boolean>> | undefined;
  /** What a call does with the file that its argument `path` names, for the summaries of a session. */
  fileAccess?: "read" | "write";
  /** Whether the call may be repeated when nobody knows how it ended. */
  replay?: "never" | "safe";
  /** `sequential`: a batch that calls this tool runs one call at a time. */
  executionMode?: ToolExecutionMode;
}

/** How a tool call ended, after all hooks. */
export interface AgentToolCallOutcome {
  toolCall: ToolCall;
  result: AgentToolResult<Loose>;
  isError: boolean;
  /** Milliseconds that `execute` took; missing when the tool did not run. */
  durationMs?: number;
}
