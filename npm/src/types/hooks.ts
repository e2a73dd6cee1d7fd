import type { Hook, JsonValue, Loose, MaybePromise } from "./json.js";
import type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  ImageContent,
  Message,
  TextContent,
  ToolCall,
  ToolResultMessage,
  Usage,
} from "./messages.js";
import type { Model, ThinkingLevel } from "./model.js";
import type { AgentTool, AgentToolResult } from "./tools.js";

/** What one run works on: the transcript and the tools that can be executed. */
export interface AgentContext<TCustom extends CustomMessage = never> {
  /** Sent with each request of a low-level run. The 1.6.0 profile of the `Agent` keeps the prompt in `messages`. */
  systemPrompt?: string | undefined;
  messages: AgentMessage<TCustom>[];
  tools?: AgentTool<Loose>[] | undefined;
}

/** What `beforeToolCall` gets. */
export interface BeforeToolCallContext<TCustom extends CustomMessage = never> {
  /** The message that asked for the call. */
  assistantMessage: AssistantMessage;
  /** The call as the model sent it. */
  toolCall: ToolCall;
  /** The validated arguments, the very object that the tool will get: changes reach the tool unchecked. */
  args: unknown;
  context: AgentContext<TCustom>;
}

/** Refuses a call. */
export interface BeforeToolCallResult {
  /** `true`: do not run the tool; the model gets an error result. */
  block?: boolean;
  /** The text of that error. Default: `Tool execution was blocked`. */
  reason?: string;
  /** Stop after this batch, if every result of the batch says so. */
  terminate?: boolean;
}

/** What `afterToolCall` gets. */
export interface AfterToolCallContext<TCustom extends CustomMessage = never>
  extends BeforeToolCallContext<TCustom> {
  /** What the tool returned, or the error result made from what it threw. */
  result: AgentToolResult<Loose>;
  isError: boolean;
}

/** Replaces parts of a result. Fields that are missing or null keep their value; nothing is merged in depth. */
export interface AfterToolCallResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  /** Dropped when only `content` is replaced, since it may no longer match. */
  structuredContent?: JsonValue;
  isError?: boolean;
  usage?: Usage;
  terminate?: boolean;
}

/** A turn that has just been completed. */
export interface AgentTurnContext<TCustom extends CustomMessage = never> {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** The context with the answer and the tool results in it. */
  context: AgentContext<TCustom>;
  /** What the run has added so far; the same array that the run returns. */
  newMessages: AgentMessage<TCustom>[];
}

/** The same, before the next turn starts. */
export interface PrepareNextTurnContext<TCustom extends CustomMessage = never>
  extends AgentTurnContext<TCustom> {}

/** The same, for `shouldStopAfterTurn`. */
export interface ShouldStopAfterTurnContext<TCustom extends CustomMessage = never>
  extends AgentTurnContext<TCustom> {}

/** What `finishTurn` decides. `continue` makes sure of one more request; `end` ends the run after `turn_end`. */
export type AgentTurnDecision = { action: "continue" } | { action: "end" };

/** What changes for the next turn. Fields that are missing stay as they are. */
export interface AgentLoopTurnUpdate<TCustom extends CustomMessage = never> {
  /** Replaces the context of this run; the transcript of the `Agent` keeps everything. */
  context?: AgentContext<TCustom> | undefined;
  /** Messages to add before the next request, with their events. */
  messages?: AgentMessage<TCustom>[] | undefined;
  model?: Model | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
}

/** What is about to be sent. */
export interface PrepareRequestContext<TCustom extends CustomMessage = never> {
  context: AgentContext<TCustom>;
  model: Model;
  thinkingLevel: ThinkingLevel;
}

/** What changes for this request and all later ones of the run. */
export type AgentRequestUpdate<TCustom extends CustomMessage = never> = Omit<
  AgentLoopTurnUpdate<TCustom>,
  "messages"
>;

/** The hooks that the low-level loop and the `Agent` share. Whatever a hook throws ends the run with an error. */
export interface RunHooks<TCustom extends CustomMessage = never> {
  /**
   * Changes the messages of one request, before `convertToLlm`: prune, summarise, add. The transcript is not affected
   * unless the array is changed in place.
   */
  transformContext?:
    | Hook<(messages: AgentMessage<TCustom>[], signal?: AbortSignal) => MaybePromise<AgentMessage<TCustom>[]>>
    | undefined;
  /** The key for the next request, asked for each time. Undefined or empty: `apiKey` of the options. */
  getApiKey?: Hook<(provider: string) => MaybePromise<string | undefined>> | undefined;
  /** Called after validation, before a tool runs. What it throws becomes the error result of the call. */
  beforeToolCall?:
    | Hook<
        (
          context: BeforeToolCallContext<TCustom>,
          signal?: AbortSignal,
        ) => MaybePromise<BeforeToolCallResult | undefined> | MaybePromise<void>
      >
    | undefined;
  /** Called after a tool has run. What it throws replaces the result by an error. */
  afterToolCall?:
    | Hook<
        (
          context: AfterToolCallContext<TCustom>,
          signal?: AbortSignal,
        ) => MaybePromise<AfterToolCallResult | undefined> | MaybePromise<void>
      >
    | undefined;
  /** Called when a turn is complete, failed and aborted ones included, right before `turn_end`. */
  finishTurn?:
    | Hook<
        (
          turn: AgentTurnContext<TCustom>,
          signal?: AbortSignal,
        ) => MaybePromise<AgentTurnDecision | undefined> | MaybePromise<void>
      >
    | undefined;
  /** Called right before each request, when all waiting messages have been added. */
  prepareRequest?:
    | Hook<
        (
          request: PrepareRequestContext<TCustom>,
          signal?: AbortSignal,
        ) => MaybePromise<AgentRequestUpdate<TCustom> | undefined> | MaybePromise<void>
      >
    | undefined;
}

/** Called when a turn is complete, right before `turn_end`. */
export type FinishTurn<TCustom extends CustomMessage = never> = NonNullable<RunHooks<TCustom>["finishTurn"]>;

/** Called right before each request. */
export type PrepareRequest<TCustom extends CustomMessage = never> = NonNullable<
  RunHooks<TCustom>["prepareRequest"]
>;

/** Turns a transcript into the messages a model understands, for each request. */
export type ConvertToLlm<TCustom extends CustomMessage = never> = Hook<
  (messages: AgentMessage<TCustom>[]) => MaybePromise<Message[]>
>;
