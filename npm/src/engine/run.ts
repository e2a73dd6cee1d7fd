/**
 * One run, as the module sees it: the operations that `src/js/host.rs` asks for.
 *
 * No policy here: what happens when is decided by the engine. This file knows JavaScript objects: which object a hook
 * gets, how a context is copied, what an absent hook means. Reading user objects may throw; the engine is told.
 */
import type { EngineCrashError } from "../errors.js";
import { type Limiter, limiterOf } from "../limits/limiter.js";
import { getDefaultStreamFn } from "../default-stream.js";
import type { Profile } from "../profile.js";
import { withFrames } from "../stream/frames.js";
import { declareToolChanges } from "../transcript.js";
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentLoopTurnUpdate,
  AgentMessage,
  AgentTool,
  AgentToolCall,
  AgentToolResult,
  AgentTurnContext,
  AssistantMessage,
  Message,
  RunToolCallOptions,
  StreamFn,
  ToolResultMessage,
} from "../types.js";
import { type InFlight, isBroken, track, untrack } from "./guard.js";
import { respond } from "./respond.js";
import { inTime } from "./bounded.js";
import { RunEvents } from "./run-events.js";
import { errorResult, executeTool, mergeAfterResult, neverRan, resultMessage } from "./tools.js";
import { validArguments } from "./validate.js";

/** What a run is made of. */
export interface RunInput {
  readonly kind: "prompt" | "continue";
  readonly prompts: readonly AgentMessage[];
  readonly context: AgentContext;
  readonly config: AgentLoopConfig;
  /** Deliver an event. `undefined`: every listener has finished; a promise: wait for it. */
  readonly emit: (event: AgentEvent) => unknown;
  readonly signal: AbortSignal | undefined;
  /** `undefined`: the default stream function at the time the loop needs it. */
  readonly streamFn: StreamFn | undefined;
  readonly profile: Profile;
  /** A low-level context's own `systemPrompt`, folded into each request. */
  readonly systemPrompt?: string | undefined;
  /** Limits of a run of which this is a part. */
  readonly limiter?: Limiter | undefined;
}

/** What `beforeToolCall` said: whether to block, the reason, whether to terminate. */
type Before = readonly [boolean, string | undefined, boolean];

/**
 * The operations of `Op` in `src/js/host.rs`: the methods with an underscore. The build (`numbered` in
 * `scripts/build.mjs`) calls them `o0`, `o1`, ... in the order they have there.
 */
export class HostRun extends RunEvents implements InFlight {
  /** The live configuration; replaced, never changed, when a hook switches model or thinking level. */
  config: AgentLoopConfig;
  readonly profile: Profile;
  readonly signal: AbortSignal | undefined;
  readonly systemPrompt: string | undefined;
  readonly limiter: Limiter | undefined;
  /** It has ended: no tool is started any more. */
  over = false;
  /** Arguments by call, where an approval has replaced them. */
  readonly _replaced = new WeakMap<AgentToolCall, unknown>();
  #streamFn: StreamFn | undefined;
  #apiKey: string | undefined;
  /** Tools of a single call, where they are not the context's. */
  #tools: readonly AgentTool[] | undefined;
  #turn: AgentTurnContext | undefined;
  /** `agent_end` is being delivered: ends the run when that is done. */
  #atEnd: (() => void) | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (reason: unknown) => void;

  constructor(input: RunInput) {
    super(input.emit);
    this.config = input.config;
    this.profile = input.profile;
    this.signal = input.signal;
    this.systemPrompt = input.systemPrompt;
    this.limiter = input.limiter ?? limiterOf(input.config);
    this.#streamFn = input.streamFn;
  }

  /** A run that is one tool call: its updates go to the caller, everything else is silent. */
  static _forToolCall(options: RunToolCallOptions, profile: Profile): HostRun {
    const run = new HostRun({
      kind: "continue",
      prompts: [],
      context: options.context,
      config: options as unknown as AgentLoopConfig,
      emit: (event) =>
        event.type === "tool_execution_update" ? options.onUpdate?.(event.partialResult) : undefined,
      signal: options.signal,
      streamFn: undefined,
      profile,
    });
    run.#tools = options.tools ?? options.context.tools ?? [];
    return run;
  }

  /** Begin, and promise the end. */
  start(begin: () => void): Promise<unknown> {
    const promise = new Promise<unknown>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    track(this);
    try {
      begin();
    } catch (error) {
      // A trap in the first poll: the guard has ended this run already, or will when the outermost call is left.
      if (!isBroken()) this._finish(false, error);
    }
    return promise;
  }

  /** The one method that the module calls: the operation of a number, with what it is given. */
  _operate(op: number, ...given: unknown[]): unknown {
    return (this as unknown as Record<string, (...given: unknown[]) => unknown>)[`o${op}`]?.(...given);
  }

  crash(error: EngineCrashError): void {
    this.dead = true;
    this.over = true;
    // With its last event under way the run has nothing more to lose.
    if (this.#atEnd) this.#atEnd();
    else this.#reject(error);
  }

  _finish(ok: boolean, value: unknown): void {
    // What a broken instance made of its own trap is not how this run ended; the guard tells in a moment.
    if (isBroken()) return;
    untrack(this);
    this.over = true;
    if (ok) this.#resolve(value);
    else this.#reject(value);
  }

  _aborted(): boolean {
    return this.signal?.aborted === true;
  }

  _agentEnd(messages: AgentMessage[]): Promise<unknown> {
    const delivered = this._lifecycle({ type: "agent_end", messages });
    this.#atEnd = () => void delivered.then(() => this.#resolve(messages), this.#reject);
    return delivered;
  }

  // --- lists and contexts -------------------------------------------------------------------------------------------

  _list(): AgentMessage[] {
    return [];
  }
  /** What a queue hook gives may be any value; only a positive `length` counts as messages. */
  _lengthOf(list: readonly AgentMessage[]): number {
    const length = list.length;
    return typeof length === "number" && length > 0 ? length >>> 0 : 0;
  }
  _item(list: readonly AgentMessage[], index: number): AgentMessage | undefined {
    return list[index];
  }
  _push(list: AgentMessage[], message: AgentMessage): void {
    list.push(message);
  }
  _append(context: AgentContext, message: AgentMessage): void {
    context.messages.push(message);
  }
  _extended(context: AgentContext, more: readonly AgentMessage[]): AgentContext {
    return { ...context, messages: [...context.messages, ...more] };
  }
  _shared(context: AgentContext): AgentContext {
    return { ...context };
  }
  _declared(
    context: AgentContext,
    prepared: readonly AgentMessage[] | undefined,
    pending: readonly AgentMessage[],
  ): readonly AgentMessage[] {
    const entering = prepared === undefined ? pending : [...prepared, ...pending];
    return this.profile.systemMessages ? declareToolChanges(context, entering) : entering;
  }

  // --- one request --------------------------------------------------------------------------------------------------

  _chooseStreamFn(): void {
    this.#streamFn ??= getDefaultStreamFn();
  }
  _transformContext(context: AgentContext): unknown {
    const messages = context.messages;
    return this.config.transformContext
      ? Promise.resolve(this.config.transformContext(messages, this.signal))
      : messages;
  }
  _convertToLlm(messages: AgentMessage[]): unknown {
    return Promise.resolve(this.config.convertToLlm(messages));
  }
  _resolveApiKey(): unknown {
    const { getApiKey, apiKey } = this.config;
    if (!getApiKey) {
      this.#apiKey = apiKey || undefined;
      return undefined;
    }
    return Promise.resolve(this.config.getApiKey?.(this.config.model.provider)).then((key) => {
      this.#apiKey = key || this.config.apiKey || undefined;
    });
  }
  _stream(context: AgentContext, messages: Message[]): Promise<AssistantMessage> {
    const streamFn = this.#streamFn ?? getDefaultStreamFn();
    const limited = this.limiter?.request(streamFn) ?? streamFn;
    const framed = withFrames(limited, this.config.coalesce);
    return respond(this, framed, context, messages, this.#apiKey);
  }
  /** 0 complete, 1 truncated, 2 failed. */
  _outcomeOf(message: AssistantMessage): number {
    const reason = message.stopReason;
    return reason === "error" || reason === "aborted" ? 2 : reason === "length" ? 1 : 0;
  }
  _toolCalls(message: AssistantMessage): AgentToolCall[] {
    // An array of our own: `filter` may give an object of the content's class.
    const calls: AgentToolCall[] = [];
    for (const block of message.content) if (block.type === "toolCall") calls.push(block);
    return calls;
  }

  // --- hooks between turns ------------------------------------------------------------------------------------------

  async _steering(): Promise<readonly AgentMessage[]> {
    return (await this.config.getSteeringMessages?.()) || [];
  }
  async _followUps(): Promise<readonly AgentMessage[]> {
    return (await this.config.getFollowUpMessages?.()) || [];
  }
  /** Hooks of one turn share one turn object. */
  #turnOf(
    message: AssistantMessage,
    toolResults: ToolResultMessage[],
    context: AgentContext,
    newMessages: AgentMessage[],
  ): AgentTurnContext {
    if (this.#turn?.message !== message || this.#turn.toolResults !== toolResults) {
      this.#turn = { message, toolResults, context, newMessages };
    }
    return this.#turn;
  }
  #adopt(update: Pick<AgentLoopTurnUpdate, "model" | "thinkingLevel">): void {
    const { model, thinkingLevel } = update;
    this.config = {
      ...this.config,
      model: model ?? this.config.model,
      reasoning:
        thinkingLevel === undefined
          ? this.config.reasoning
          : thinkingLevel === "off"
            ? undefined
            : thinkingLevel,
    };
  }
  async _prepareNextTurn(
    message: AssistantMessage,
    toolResults: ToolResultMessage[],
    context: AgentContext,
    newMessages: AgentMessage[],
  ): Promise<readonly [AgentContext | undefined, AgentMessage[] | undefined] | undefined> {
    const update = await this.config.prepareNextTurn?.(
      this.#turnOf(message, toolResults, context, newMessages),
    );
    if (!update) return undefined;
    this.#adopt(update);
    return [
      update.context ?? undefined,
      this.profile.nextTurnMessages ? (update.messages ?? undefined) : undefined,
    ];
  }
  async _prepareRequest(context: AgentContext): Promise<AgentContext | undefined> {
    const { model, reasoning } = this.config;
    const update = await this.config.prepareRequest?.(
      { context, model, thinkingLevel: reasoning ?? "off" },
      this.signal,
    );
    if (!update) return undefined;
    this.#adopt(update);
    return update.context ?? undefined;
  }
  /** 0 normal, 1 continue, 2 end. */
  async _finishTurn(
    message: AssistantMessage,
    toolResults: ToolResultMessage[],
    context: AgentContext,
    newMessages: AgentMessage[],
  ): Promise<number> {
    const turn = this.#turnOf(message, toolResults, context, newMessages);
    const decision = await this.config.finishTurn?.(turn, this.signal);
    return decision?.action === "continue" ? 1 : decision?.action === "end" ? 2 : 0;
  }
  _shouldStop(
    message: AssistantMessage,
    toolResults: ToolResultMessage[],
    context: AgentContext,
    newMessages: AgentMessage[],
  ): unknown {
    if (!this.config.shouldStopAfterTurn) return false;
    return Promise.resolve(
      this.config.shouldStopAfterTurn(this.#turnOf(message, toolResults, context, newMessages)),
    );
  }

  // --- tools --------------------------------------------------------------------------------------------------------

  _sequential(): boolean {
    return this.config.toolExecution === "sequential";
  }
  /** With `steering: "tool-boundary"`: whether steering waits for what is left of the batch. */
  _interrupted(): boolean {
    return this.config.steering === "tool-boundary" && this.config.hasSteeringMessages?.() === true;
  }
  _findTool(context: AgentContext, call: AgentToolCall): AgentTool | undefined {
    return (this.#tools ?? context.tools)?.find((tool) => tool.name === call.name);
  }
  _toolSequential(tool: AgentTool): boolean {
    return tool.executionMode === "sequential";
  }
  _arguments(tool: AgentTool, call: AgentToolCall): unknown {
    return validArguments(tool, call, this.profile);
  }
  _beforeToolCall(
    context: AgentContext,
    assistantMessage: AssistantMessage,
    toolCall: AgentToolCall,
    args: unknown,
  ): Promise<Before> | undefined {
    if (!this.config.beforeToolCall) return undefined;
    const ask = () =>
      this.config.beforeToolCall?.({ assistantMessage, toolCall, args, context }, this.signal);
    const asked = inTime(this, ask);
    return Promise.resolve(asked).then((said) => {
      const block = Boolean(said?.block);
      return [block, block && said?.reason ? String(said.reason) : undefined, said?.terminate === true];
    });
  }
  _execute(tool: AgentTool, call: AgentToolCall, args: unknown): Promise<unknown> {
    return executeTool(this, tool, call, args);
  }
  _reportsError(result: AgentToolResult): boolean {
    return result.isError === true;
  }
  _afterToolCall(
    context: AgentContext,
    assistantMessage: AssistantMessage,
    toolCall: AgentToolCall,
    args: unknown,
    result: AgentToolResult,
    isError: boolean,
  ): Promise<readonly [AgentToolResult, boolean] | undefined> | undefined {
    if (!this.config.afterToolCall || neverRan(result)) return undefined;
    const replaced = this._replaced;
    const given = replaced.has(toolCall) ? replaced.get(toolCall) : args;
    const asked = this.config.afterToolCall(
      { assistantMessage, toolCall, args: given, result, isError, context },
      this.signal,
    );
    return Promise.resolve(asked).then((said) =>
      said ? mergeAfterResult(result, isError, said, this.profile) : undefined,
    );
  }
  _terminates(result: AgentToolResult): boolean {
    return result.terminate === true;
  }
  _errorResult(kind: number, subject: unknown, terminate: boolean): AgentToolResult {
    return errorResult(kind, subject, terminate);
  }
  _resultMessage(
    call: AgentToolCall,
    result: AgentToolResult,
    isError: boolean,
    durationMs: number | undefined,
  ): ToolResultMessage {
    return resultMessage(call, result, isError, durationMs, this.profile);
  }
  _outcome(
    toolCall: AgentToolCall,
    result: AgentToolResult,
    isError: boolean,
    durationMs: number | undefined,
  ): unknown {
    return { toolCall, result, isError, ...(durationMs === undefined ? {} : { durationMs }) };
  }
}
