import { roleOf } from "./answers.js";
import { getDefaultStreamFn } from "./default-stream.js";
import { checkBounds, checkRequest } from "./limits/check.js";
import type { Profile } from "./profile.js";
import { checkCoalesce } from "./stream/frames.js";
import type {
  AgentHooks,
  AgentOptions,
  AgentState,
  ClientIdentity,
  ConvertToLlm,
  CustomMessage,
  Message,
  RunBounds,
  StreamFn,
  ThinkingBudgets,
  ToolExecutionMode,
  Transport,
} from "./types.js";

/** Settings that a run takes over as they are. */
export const TAKEN_OVER = [
  "sessionId",
  "onPayload",
  "onResponse",
  "onProviderStreamEvent",
  "transport",
  "thinkingBudgets",
  "maxRetryDelayMs",
  "identity",
  "toolExecution",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareRequest",
  "convertToLlm",
  "transformContext",
  "getApiKey",
  "steering",
] as const satisfies readonly (keyof AgentOptions)[];

/** Those that stream functions of others see only when somebody has set them. */
export const TAKEN_OVER_IF_SET = [
  "maxRetries",
  "fallbackModels",
  "coalesce",
] as const satisfies readonly (keyof AgentOptions)[];

/** Those that are read while a run goes on, or are not for it. */
const OTHERS = [
  "shouldStopAfterTurn",
  "prepareNextTurn",
  "prepareNextTurnWithContext",
  "onError",
  "limits",
  "toolAbortGraceMs",
  "toolConcurrency",
] as const satisfies readonly (keyof AgentOptions)[];

/** The options of an agent that stay properties of it. A change counts from the next run on. */
export abstract class AgentSettings<TCustom extends CustomMessage> implements AgentHooks<TCustom>, RunBounds {
  /** Turns the transcript into messages for the model, for each request. */
  convertToLlm: ConvertToLlm<TCustom>;
  /** Answers the model requests. */
  streamFunction: StreamFn;
  transformContext: AgentHooks<TCustom>["transformContext"];
  getApiKey: AgentHooks<TCustom>["getApiKey"];
  onPayload: AgentHooks<TCustom>["onPayload"];
  onResponse: AgentHooks<TCustom>["onResponse"];
  onProviderStreamEvent: AgentHooks<TCustom>["onProviderStreamEvent"];
  beforeToolCall: AgentHooks<TCustom>["beforeToolCall"];
  afterToolCall: AgentHooks<TCustom>["afterToolCall"];
  finishTurn: AgentHooks<TCustom>["finishTurn"];
  prepareRequest: AgentHooks<TCustom>["prepareRequest"];
  shouldStopAfterTurn: AgentHooks<TCustom>["shouldStopAfterTurn"];
  /** Read at each turn, if this or `prepareNextTurnWithContext` was set when the run started. */
  prepareNextTurn: AgentHooks<TCustom>["prepareNextTurn"];
  prepareNextTurnWithContext: AgentHooks<TCustom>["prepareNextTurnWithContext"];
  onError: AgentHooks<TCustom>["onError"];
  /** Passed to the provider, for its caches. */
  sessionId: string | undefined;
  thinkingBudgets: ThinkingBudgets | undefined;
  transport: Transport;
  /** See `StreamOptions.maxRetries`. */
  maxRetries: number | undefined;
  /** Milliseconds; see `StreamOptions.maxRetryDelayMs`. */
  maxRetryDelayMs: number | undefined;
  /** See `StreamOptions.fallbackModels`. */
  fallbackModels: AgentOptions["fallbackModels"];
  toolExecution: ToolExecutionMode;
  /** How requests identify the application; merged over `DEFAULT_AGENT_IDENTITY`. */
  identity: ClientIdentity | undefined;
  limits: RunBounds["limits"];
  toolAbortGraceMs: number | undefined;
  toolConcurrency: number | undefined;
  steering: RunBounds["steering"];
  coalesce: AgentOptions["coalesce"];

  /** The live state. */
  abstract get state(): AgentState<TCustom>;
  /** The abort signal of the run in progress. */
  abstract get signal(): AbortSignal | undefined;

  /** @throws AgentError `invalid_request` when there is no `streamFn` and no default, or a limit makes no sense */
  constructor(options: AgentOptions<TCustom>, profile: Profile) {
    checkBounds(options);
    checkCoalesce(options.coalesce);
    checkRequest({ maxRetries: options.maxRetries, maxRetryDelayMs: options.maxRetryDelayMs });
    // Every setting has the name of its option, but for the stream function.
    for (const name of [...TAKEN_OVER, ...TAKEN_OVER_IF_SET, ...OTHERS])
      Object.assign(this, { [name]: options[name] });
    this.convertToLlm = options.convertToLlm ?? keepModelMessages(profile);
    this.streamFunction = options.streamFn ?? getDefaultStreamFn();
    this.transport = options.transport ?? "auto";
    this.toolExecution = options.toolExecution ?? "parallel";
  }
}

/** The default `convertToLlm`: leaves out the kinds of messages that a model does not know. */
function keepModelMessages<TCustom extends CustomMessage>(profile: Profile): ConvertToLlm<TCustom> {
  const known = new Set<string | undefined>(["user", "assistant", "toolResult"]);
  if (profile.systemMessages) known.add("system");
  return (messages) => messages.filter((message): message is Message => known.has(roleOf(message)));
}
