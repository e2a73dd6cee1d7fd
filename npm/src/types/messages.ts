import type { AgentErrorCode } from "../errors.js";
import type { JsonObject, JsonValue } from "./json.js";
import type { Api, ThinkingLevel } from "./model.js";
import type { Tool, ToolReference } from "./tools.js";

/** Text. */
export interface TextContent {
  type: "text";
  text: string;
  /** Opaque data of the provider; goes back with the text. */
  textSignature?: string;
}

/** What the model thought. */
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** Opaque proof of the provider; goes back with the thinking. */
  thinkingSignature?: string;
  /** The provider hid the text; the encrypted form is in `thinkingSignature`. */
  redacted?: boolean;
}

/** An image. */
export interface ImageContent {
  type: "image";
  /** Base64; requests take a whole `data:` URL too, with its type. */
  data: string;
  /** For example `image/png`. */
  mimeType: string;
}

/** A call of a tool by the model. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  /** What the model sent, before validation. Grows while the call streams in. */
  arguments: JsonObject;
  /**
   * The exact text of the arguments, present only when reading it as JavaScript values lost something, such as the
   * digits of a 64-bit integer. It goes back to the provider in place of `arguments`.
   */
  argumentsText?: string;
  /** Why the arguments could not be read. `arguments` is `{}` then and the call fails with this text. */
  argumentsError?: string;
  thoughtSignature?: string;
  namespace?: string;
}

/** Token counts and cost of one response. All zero means that the provider did not say. */
export interface Usage {
  /** Input tokens that were not served from or written to the cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWrite1h?: number;
  /** The part of `output` that was thinking; missing when the provider does not tell. */
  reasoning?: number;
  totalTokens: number;
  /** US dollars. */
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
    /** The provider itself reported `total`; otherwise it follows from the model's prices. */
    totalFromProvider?: boolean;
  };
}

/** Why a response ended. */
export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

/**
 * Instructions and tool declarations from one point of the transcript on.
 *
 * The first system message is the system prompt. Later ones add instructions (`content`), replace or remove named
 * sections, and add or remove tools. Replaying all of them gives the prompt and the tools of the moment.
 */
export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  /** Named parts of the prompt in order, put after `content` as they are. `null` removes a section. */
  sections?: Record<string, string | null>;
  /** Tools that the model may call from here on. */
  toolsAdded?: Tool[];
  /** Tools that the model may no longer call. */
  toolsRemoved?: ToolReference[];
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** What the user said. */
export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

/** An answer of the model. */
export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: Api;
  provider: string;
  model: string;
  /** The model that really answered, when the provider names another one. */
  responseModel?: string;
  responseId?: string;
  /** The thinking level at the provider, by its own name. */
  providerThinkingLevel?: string;
  /** The thinking level that the loop asked for. */
  thinkingLevel?: ThinkingLevel;
  /** What went wrong, for programs: `diagnostics[0].code`. */
  diagnostics?: AssistantMessageDiagnostic[];
  /** What the answer says, with `responseSchema`: parsed and checked. */
  structured?: unknown;
  usage: Usage;
  stopReason: StopReason;
  deferred?: DeferredHandle;
  /** Set when `stopReason` is `error` or `aborted`. */
  errorMessage?: string;
  /** The provider's own word for the stop reason. */
  rawStopReason?: string;
  endTurn?: boolean;
  timestamp: number;
  /** Milliseconds from request to end, by a clock that cannot jump. */
  durationMs?: number;
}

/** A response that the provider finishes later. */
export interface DeferredHandle {
  provider: string;
  modelId: string;
  api: string;
  id: string;
  expiresAt?: number;
  pollAfterMs?: number;
  data?: JsonValue;
}

/** The details of a failure inside a message. */
export interface AssistantMessageDiagnostic {
  /** What kind of diagnostic this is; `error` for a failure of the run or the request. */
  type: string;
  timestamp: number;
  /** The same code as `AgentError.code`. */
  code?: AgentErrorCode;
  error?: { name?: string; message: string; stack?: string; code?: string | number };
  details?: JsonObject;
}

/** A call that a tool made to another tool while it ran. */
export interface NestedToolCallRecord {
  id: string;
  name: string;
  arguments?: JsonObject;
  argumentsBytes?: number;
  status: "ok" | "error" | "unfinished";
  durationMs?: number;
  error?: string;
}

/** The calls that a tool made, as far as they were recorded. */
export interface NestedToolCalls {
  calls: NestedToolCallRecord[];
  /** `false` when something was left out. */
  complete: boolean;
}

/** The outcome of a tool call, as the model gets it. */
export interface ToolResultMessage<TDetails = JsonValue> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** Data for the user interface; never sent to the model. */
  details?: TDetails | undefined;
  /** What the tool itself used, when it called a model. Not part of the run's own usage. */
  usage?: Usage;
  nestedCalls?: NestedToolCalls;
  isError: boolean;
  timestamp: number;
  /** Milliseconds that `execute` took; missing when the tool did not run. */
  durationMs?: number;
}

/** A message that a model understands. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** What every message has, those of the application included. */
export interface CustomMessage {
  role: string;
}

/**
 * Message kinds of the application, by declaration merging:
 *
 * ```ts
 * declare module "steersman" {
 *   interface CustomAgentMessages {
 *     notice: { role: "notice"; text: string; timestamp: number };
 *   }
 * }
 * ```
 *
 * Such a kind is global to the program. The type parameter of {@link AgentMessage} and `Agent<TCustom>` is not.
 */
export interface CustomAgentMessages {}

/** A message of a transcript: what a model understands, and what the application added. */
export type AgentMessage<TCustom extends CustomMessage = never> =
  | Message
  | CustomAgentMessages[keyof CustomAgentMessages]
  | TCustom;

/** A tool call block of an assistant message. */
export type AgentToolCall = ToolCall;
