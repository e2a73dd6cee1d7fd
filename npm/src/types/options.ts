import type { ApproveToolCall } from "./approvals.js";
import type { AgentContext, AgentLoopTurnUpdate, ConvertToLlm, RunHooks } from "./hooks.js";
import type { PrepareNextTurnContext, ShouldStopAfterTurnContext } from "./hooks.js";
import type { Hook, Loose, MaybePromise } from "./json.js";
import type { RunBounds, ToolCallBounds } from "./limits.js";
import type { AgentMessage, AssistantMessage, CustomMessage } from "./messages.js";
import type { ClientIdentity, Model, ThinkingBudgets, ThinkingLevel, Transport } from "./model.js";
import type { SimpleStreamOptions, StreamFn, StreamOptions } from "./stream.js";
import type { AgentTool, AgentToolResult, ToolExecutionMode } from "./tools.js";

/** How many queued messages go in at once: every waiting one, or the oldest. */
export type QueueMode = "all" | "one-at-a-time";

/** How the events of a run are delivered. */
export interface RunDelivery {
  /**
   * `frame`: `message_update` events come at most once per frame (every 16 ms where nothing is painted, as in workers,
   * hidden pages and Node); deltas of the same block that come in between are one delta. Nothing is left behind: what
   * waits is delivered before the event that follows. Default: each as it comes.
   */
  coalesce?: "frame" | undefined;
}

/** The state of an agent. It is live: read it at any time, also inside listeners, hooks and tools. */
export interface AgentState<TCustom extends CustomMessage = never> {
  /**
   * The system prompt, replayed from the system messages of the transcript. Read-only: to change the prompt, add a
   * system message.
   */
  readonly systemPrompt: string;
  /** Model of the next run. */
  model: Model;
  /** Thinking level of the next run. */
  thinkingLevel: ThinkingLevel;
  /** Tools of the next run. Assigning copies the array; reading returns the live one. */
  get tools(): AgentTool<Loose>[];
  set tools(tools: readonly AgentTool<Loose>[]);
  /** The transcript. Assigning copies the array; reading returns the live one. A message enters at its `message_end`. */
  get messages(): AgentMessage<TCustom>[];
  set messages(messages: readonly AgentMessage<TCustom>[]);
  /** Whether a run is in progress, from the call of `prompt()` until the listeners of `agent_end` have finished. */
  readonly isStreaming: boolean;
  /** The message that is coming in. */
  readonly streamingMessage?: AgentMessage<TCustom> | undefined;
  /** Ids of the calls that are running. */
  readonly pendingToolCalls: ReadonlySet<string>;
  /** Why the last run failed or was aborted. Cleared when the next one starts. */
  readonly errorMessage?: string | undefined;
}

/** What an agent starts with. `systemPrompt` and `tools` become a system message, unless `messages` begins with one. */
export interface AgentInitialState<TCustom extends CustomMessage = never> {
  systemPrompt?: string | undefined;
  model?: Model | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  tools?: readonly AgentTool<Loose>[] | undefined;
  messages?: readonly AgentMessage<TCustom>[] | undefined;
}

/** The hooks of an `Agent`. Each is also a property of the agent and may be changed; a run in progress keeps its own. */
export interface AgentHooks<TCustom extends CustomMessage = never>
  extends RunHooks<TCustom>,
    Pick<SimpleStreamOptions, "onPayload" | "onResponse" | "onProviderStreamEvent"> {
  /** Called after a completed turn; return `true` to end the run. `finishTurn` can do more. */
  shouldStopAfterTurn?:
    | Hook<
        (turn: ShouldStopAfterTurnContext<TCustom>, signal?: AbortSignal) => MaybePromise<boolean | undefined>
      >
    | undefined;
  /** Called between two turns. */
  prepareNextTurn?:
    | Hook<(signal?: AbortSignal) => MaybePromise<AgentLoopTurnUpdate<TCustom> | undefined>>
    | undefined;
  /** The same with the turn that has ended. If both are set, only this one is called. */
  prepareNextTurnWithContext?:
    | Hook<
        (
          turn: PrepareNextTurnContext<TCustom>,
          signal?: AbortSignal,
        ) => MaybePromise<AgentLoopTurnUpdate<TCustom> | undefined>
      >
    | undefined;
  /**
   * Told when a run fails because a hook, a listener, the stream function or the engine threw. The run still ends with
   * its events, and `prompt()` resolves; this is where the original value can be had.
   */
  onError?: Hook<(error: unknown) => void> | undefined;
}

/** Options of an `Agent`. */
export interface AgentOptions<TCustom extends CustomMessage = never>
  extends AgentHooks<TCustom>,
    RunBounds,
    RunDelivery {
  initialState?: AgentInitialState<TCustom> | undefined;
  /** Answers the model requests. Default: what `setDefaultStreamFn()` has set; without either the constructor throws. */
  streamFn?: StreamFn | undefined;
  /** Turns the transcript into messages for the model. Default: leaves out the kinds a model does not know. */
  convertToLlm?: ConvertToLlm<TCustom> | undefined;
  /** Default `one-at-a-time`. */
  steeringMode?: QueueMode | undefined;
  /** Default `one-at-a-time`. */
  followUpMode?: QueueMode | undefined;
  sessionId?: string | undefined;
  thinkingBudgets?: ThinkingBudgets | undefined;
  /** Default `auto`. */
  transport?: Transport | undefined;
  /** See `StreamOptions.maxRetries`. Default 0. */
  maxRetries?: number | undefined;
  /** Milliseconds; see `StreamOptions.maxRetryDelayMs`. */
  maxRetryDelayMs?: number | undefined;
  /** See `StreamOptions.fallbackModels`. */
  fallbackModels?: StreamOptions["fallbackModels"];
  /** Default `parallel`. */
  toolExecution?: ToolExecutionMode | undefined;
  /**
   * How requests identify the application; merged over `DEFAULT_AGENT_IDENTITY`. Built-in stream functions tell it to
   * OpenRouter alone. Default: nothing is said.
   */
  identity?: ClientIdentity | undefined;
}

/** Configuration of a low-level run. All other options go to the stream function as they are. */
export interface AgentLoopConfig<TCustom extends CustomMessage = never>
  extends SimpleStreamOptions,
    RunHooks<TCustom>,
    RunBounds,
    RunDelivery {
  model: Model;
  /** Turns the transcript into messages for the model, for each request. */
  convertToLlm: ConvertToLlm<TCustom>;
  /** Called after a completed turn; return `true` to end the run. */
  shouldStopAfterTurn?:
    | Hook<(turn: ShouldStopAfterTurnContext<TCustom>) => MaybePromise<boolean | undefined>>
    | undefined;
  /** Called between two turns. */
  prepareNextTurn?:
    | Hook<(turn: PrepareNextTurnContext<TCustom>) => MaybePromise<AgentLoopTurnUpdate<TCustom> | undefined>>
    | undefined;
  /** Messages to add before the next turn. Asked when a run starts and after each turn. */
  getSteeringMessages?: Hook<() => MaybePromise<AgentMessage<TCustom>[] | undefined>> | undefined;
  /** Messages that keep a run going which would end otherwise. */
  getFollowUpMessages?: Hook<() => MaybePromise<AgentMessage<TCustom>[] | undefined>> | undefined;
  /** Whether steering messages wait, without taking them. Asked after each call, with `steering: "tool-boundary"`. */
  hasSteeringMessages?: Hook<() => boolean> | undefined;
  /** Decides about calls of tools with `approval`. Without it they are refused. */
  approveToolCall?: ApproveToolCall | undefined;
  /** Default `parallel`. A tool with `executionMode: "sequential"` makes its batch sequential. */
  toolExecution?: ToolExecutionMode | undefined;
}

/** The hooks that apply to a single tool call. */
export type ToolCallHooks<TCustom extends CustomMessage = never> = Pick<
  RunHooks<TCustom>,
  "beforeToolCall" | "afterToolCall"
>;

/** Options of `runToolCall`. */
export interface RunToolCallOptions<TCustom extends CustomMessage = never>
  extends ToolCallHooks<TCustom>,
    ToolCallBounds {
  /** The tools that the call may name. */
  tools: readonly AgentTool<Loose>[];
  /** Passed to the hooks as the message that asked for the call. */
  assistantMessage: AssistantMessage;
  /** Passed to the hooks. */
  context: AgentContext<TCustom>;
  signal?: AbortSignal | undefined;
  /** Decides about calls of tools with `approval`. Without it they are refused. */
  approveToolCall?: ApproveToolCall | undefined;
  onUpdate?: Hook<(partialResult: AgentToolResult<Loose>) => MaybePromise<void>> | undefined;
}

/** What became of a queued message. */
export type ReceiptOutcome = "delivered" | "dropped";

/** Tells what became of a message given to `steer()`, `followUp()` or `send()`. */
export interface Receipt {
  /** Unique within the agent. */
  readonly id: string;
  /**
   * `queued` until the message is in the transcript (`delivered`), or can no longer get there (`dropped`: the queue
   * was cleared, or the run that had taken it failed first).
   */
  readonly status: "queued" | ReceiptOutcome;
  /** Resolves with the outcome. Never rejects. */
  readonly settled: Promise<ReceiptOutcome>;
}

/**
 * Token counts and cost of several responses. A count is undefined as long as no response has reported any, which is
 * not the same as 0.
 */
export interface UsageTotals {
  /** Responses that were counted. */
  readonly requests: number;
  /** Whether every one of them reported its usage. If not, the sums are too low. */
  readonly known: boolean;
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly totalTokens: number | undefined;
  /** US dollars, by the prices of the models or as reported by the provider. */
  readonly cost: number | undefined;
}

/** What an agent has used. */
export interface AgentUsage {
  /** The run in progress, or the last one. */
  readonly run: UsageTotals;
  /** All runs since the agent was made or reset. */
  readonly total: UsageTotals;
}

/** Where the wasm module comes from: its bytes, a compiled module, an address, or a response with it. */
export type WasmSource =
  | BufferSource
  | WebAssembly.Module
  | string
  | URL
  | Response
  | { readonly module_or_path: BufferSource | WebAssembly.Module | string | URL | Response }
  | PromiseLike<BufferSource | WebAssembly.Module | string | URL | Response>;
