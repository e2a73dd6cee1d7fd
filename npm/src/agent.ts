/// <reference lib="esnext.disposable" preserve="true" />
import { hasFailed, isAnswer, roleOf } from "./answers.js";
import { ApprovalDesk } from "./approvals/desk.js";
import { Broadcast } from "./broadcast.js";
import { type Companion, plain } from "./companion.js";
import { AgentBusyError, AgentError, EngineCrashError, isThrown, TEXT } from "./errors.js";
import type { EventStream } from "./event-stream.js";
import { failureEvents, failureMessage } from "./failure.js";
import { Inbox, type Prompts, starting } from "./inbox.js";
import {
  type OneInput,
  oneMessage,
  type PromptInput,
  promptMessages,
  type PromptOptions,
  promptOptions,
  type RunOptions,
} from "./input.js";
import { start, withEngine } from "./launch.js";
import { loopConfig } from "./loop-config.js";
import { type Limiter, limiterOf } from "./limits/limiter.js";
import { CURRENT, type Profile } from "./profile.js";
import { failedStream, streamOf } from "./run-stream.js";
import { AgentSettings } from "./settings.js";
import { createState, type MutableState, reduce } from "./state.js";
import { getCurrentSystemMessage, originalOf } from "./transcript.js";
import type {
  AgentContext,
  AgentEvent,
  AgentEventWithApprovals,
  AgentListener,
  AgentMessage,
  AgentOptions,
  AgentState,
  AgentUsage,
  AsyncEvents,
  CustomMessage,
  ImageContent,
  QueueMode,
  Receipt,
  ToolApprovalRequestEvent,
} from "./types.js";
import { UsageMeter } from "./usage.js";

// Older browsers do not have the symbol; then the method is only reachable as `dispose()`.
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

interface ActiveRun {
  readonly controller: AbortController;
  /** Resolves when the run is over and all its listeners have finished. */
  readonly idle: Promise<void>;
  readonly settle: () => void;
  /** Something threw: only the closing events follow. */
  broken: boolean;
}

/**
 * An agent: a transcript, tools, a model, and the loop that lets them work.
 *
 * One run at a time. Messages for the agent while it works go through `steer()` and `followUp()`.
 *
 * `TCustom` is the type of the application's own messages.
 */
export class Agent<TCustom extends CustomMessage = never> extends AgentSettings<TCustom> {
  // Not `#private`, so that an agent also works behind the proxy of a reactive framework. The underscore keeps them apart
  // from what a subclass may want to call its own members.
  private readonly _profile: Profile;
  private readonly _state: MutableState<TCustom>;
  private readonly _broadcast = new Broadcast<TCustom>();
  private readonly _inbox: Inbox<TCustom>;
  private readonly _approvals = new ApprovalDesk();
  private readonly _runUsage = new UsageMeter();
  private readonly _totalUsage = new UsageMeter();
  private _activeRun: ActiveRun | undefined;
  /** @internal A session, which sets it. */
  protected _companion: (() => Companion) | undefined;
  /** The run stopped by itself with empty queues: it would miss what listeners of `agent_end` queue. */
  private _ranDry = false;

  /**
   * Nothing is loaded and nothing runs until the first prompt.
   *
   * @param base which version's behaviour, for the entry `steersman/pi-0.85`
   * @throws AgentError `invalid_request` when there is no `streamFn` and no default, a tool has no usable
   *   schema, or a limit makes no sense
   */
  constructor(options?: AgentOptions<TCustom>, base: Profile = CURRENT) {
    const given: AgentOptions<TCustom> = options ?? {};
    super(given, base);
    this._profile = base;
    this._state = createState(given.initialState, base);
    this._inbox = new Inbox(given.steeringMode ?? "one-at-a-time", given.followUpMode ?? "one-at-a-time");
  }

  /** The live state. */
  get state(): AgentState<TCustom> {
    return this._state;
  }

  /** The abort signal of the run in progress. */
  get signal(): AbortSignal | undefined {
    return this._activeRun?.controller.signal;
  }

  /** Tokens and cost so far. A snapshot; read it again after the next `message_end`. */
  get usage(): AgentUsage {
    return { run: this._runUsage.totals(), total: this._totalUsage.totals() };
  }

  get steeringMode(): QueueMode {
    return this._inbox.steering.mode;
  }

  set steeringMode(mode: QueueMode) {
    this._inbox.steering.mode = mode;
  }

  get followUpMode(): QueueMode {
    return this._inbox.followUps.mode;
  }

  set followUpMode(mode: QueueMode) {
    this._inbox.followUps.mode = mode;
  }

  /**
   * Adds a listener. Listeners are awaited one after the other, and the run waits for them; what a listener throws ends
   * the run with an error.
   *
   * @returns removes the listener (at run time it also tells whether the listener was still there)
   */
  subscribe(listener: AgentListener<TCustom>): () => void {
    return this._broadcast.subscribe(listener);
  }

  /**
   * All events from now on, for one consumer. Unlike a listener it cannot hold up or break a run. Leaving the loop ends
   * it, and so does `dispose()`. Events that are not read yet are kept.
   */
  events(): AsyncEvents<AgentEvent<TCustom>> {
    return this._broadcast.events();
  }

  /**
   * Starts a run and returns when it is over. Failures of the run do not reject: they end up in the transcript and in
   * `state.errorMessage`.
   *
   * @param input text, a message, or several messages
   * @param options images to add to a text, or an object with `images` and `responseSchema`
   * @returns rejects with `AgentBusyError` during a run, with `EngineLoadError` when the engine cannot be loaded, and
   *   with what a listener throws while it is told of a failure
   */
  async prompt(
    input: PromptInput<TCustom>,
    options?: readonly ImageContent[] | PromptOptions,
  ): Promise<void> {
    if (this._activeRun) throw new AgentBusyError(TEXT.busyPrompt);
    const { images, responseSchema } = promptOptions(options);
    const prompts = promptMessages(input, images);
    await this._run("prompt", () => starting(prompts), responseSchema);
  }

  /**
   * Like `prompt()`, and returns the events of the run to iterate over. The stream ends when the run is over;
   * `result()` gives the messages that the run has added. Leaving the loop does not abort the run.
   *
   * Where `prompt()` would reject, iteration and `result()` do.
   */
  stream(
    input: PromptInput<TCustom>,
    options?: readonly ImageContent[] | PromptOptions,
  ): EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]> {
    if (this._activeRun) return failedStream(new AgentBusyError(TEXT.busyPrompt));
    return streamOf(this._broadcast, () => this.prompt(input, options));
  }

  /**
   * Starts a run from the transcript as it is. After an answer, queued messages become the prompt: steering first, then
   * follow-ups.
   *
   * @returns rejects as `prompt()` does, and with `invalid_request` when there is nothing to continue from
   */
  async continue({ responseSchema }: RunOptions = {}): Promise<void> {
    if (this._activeRun) throw new AgentBusyError(TEXT.busyContinue);
    const { messages } = this._state;
    const last = messages.at(-1);
    if (!last || messages.every((message) => roleOf(message) === "system")) {
      throw new AgentError("invalid_request", TEXT.nothingToContinue);
    }
    if (last.role !== "assistant") return this._run("continue", () => starting([]), responseSchema);
    if (this._inbox.isEmpty) throw new AgentError("invalid_request", TEXT.assistantLast);
    await this._run("prompt", () => this._inbox.takeNext(), responseSchema);
  }

  /** Queues a message for the next turn of the run in progress, or for the next run. */
  steer(input: OneInput<TCustom>): Receipt {
    return this._inbox.steer(input);
  }

  /** Queues a message for when the run would end. */
  followUp(input: OneInput<TCustom>): Receipt {
    return this._inbox.followUp(input);
  }

  /**
   * Sends a message whether or not a run is in progress: starts a run, or queues the message as a follow-up. Never
   * throws; when the run cannot be started the message is dropped and `onError` is told why.
   */
  send(input: OneInput<TCustom>, images?: readonly ImageContent[]): Receipt {
    const message = oneMessage<TCustom>(input, images);
    if (this._activeRun) return this._inbox.followUp(message);
    const entry = this._inbox.entry(message);
    this._run("prompt", () => starting(this._inbox.take(entry))).catch((thrown: unknown) => {
      entry.receipt.settle("dropped");
      this._report(thrown);
    });
    return entry.receipt;
  }

  clearSteeringQueue(): void {
    this._inbox.steering.clear();
  }

  clearFollowUpQueue(): void {
    this._inbox.followUps.clear();
  }

  clearAllQueues(): void {
    this._inbox.clear();
  }

  hasQueuedMessages(): boolean {
    return !this._inbox.isEmpty;
  }

  /** The messages that would go in next. They stay queued. */
  peekQueuedMessages(): AgentMessage<TCustom>[] {
    return this._inbox.peek();
  }

  /** The calls that wait for `approve()` or `deny()`, oldest first; for views that come later than the event. */
  get pendingApprovals(): ToolApprovalRequestEvent[] {
    return this._approvals.pending;
  }

  /**
   * Lets the tool run that a `tool_approval_request` has asked about.
   *
   * @param args what the tool gets in place of its arguments. They are validated like those of the model, but
   *   `beforeToolCall` does not see them.
   * @returns whether the approval counts. `false`, and nothing happens: nothing with this id waits (any more), the
   *   arguments of the call have changed since the request, or `args` are not valid
   */
  approve(id: string, args?: unknown): boolean {
    return this._approvals.approve(id, args);
  }

  /**
   * Refuses the call: the model gets an error result.
   *
   * @param reason the text of that result
   * @returns `false`: nothing with this id waits (any more)
   */
  deny(id: string, reason?: string): boolean {
    return this._approvals.deny(id, reason);
  }

  /**
   * Aborts the run in progress, if any. The run ends by itself once its request and its tools have noticed the signal.
   *
   * @param reason becomes `signal.reason`
   */
  abort(reason?: unknown): void {
    this._activeRun?.controller.abort(reason);
  }

  /** Resolves when no run is in progress and its listeners have finished. Do not await it inside of a tool, hook or listener. */
  waitForIdle(): Promise<void> {
    return this._activeRun?.idle ?? Promise.resolve();
  }

  /**
   * Empties transcript and queues. Prompt and tools are kept, as one system message.
   *
   * @throws AgentBusyError during a run
   */
  reset(): void {
    if (this._activeRun) throw new AgentBusyError(TEXT.busyReset);
    const state = this._state;
    const baseline = this._profile.resetKeepsBaseline ? getCurrentSystemMessage(state.messages) : undefined;
    state.messages = baseline ? [baseline] : [];
    state.isStreaming = false;
    state.streamingMessage = undefined;
    state.pendingToolCalls = new Set();
    state.errorMessage = undefined;
    this._runUsage.reset();
    this._totalUsage.reset();
    this._inbox.clear();
  }

  /**
   * Lets go of everything: aborts the run, drops queued messages, ends all `events()` and, once the run is over, removes
   * the listeners that are there now. Harmless when called twice; the transcript stays, and the agent can be used again.
   */
  dispose(): void {
    this.abort();
    this._inbox.clear();
    this._broadcast.dispose(this._activeRun?.idle);
  }

  /** See `dispose()`; for `using`. */
  [DISPOSE](): void {
    this.dispose();
  }

  /**
   * One run from start to idle, listeners included.
   *
   * @param takePrompts called when the engine is there, so that a failed load leaves queued messages where they are
   */
  private async _run(
    kind: "prompt" | "continue",
    takePrompts: () => Prompts<TCustom> | undefined,
    responseSchema?: object,
  ): Promise<void> {
    let settle = () => {};
    const idle = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const controller = new AbortController();
    const run = { controller, idle, settle, broken: false };
    this._activeRun = run;
    this._state.isStreaming = true;
    this._state.streamingMessage = undefined;
    this._state.errorMessage = undefined;
    this._runUsage.reset();
    try {
      await withEngine(async () => {
        const { signal } = controller;
        if (this._companion) await this._companion().admit(signal);
        try {
          // First, so that limits that make no sense take nothing out of the queues.
          const limiter = limiterOf(this);
          await this._loops(kind, takePrompts(), signal, limiter, responseSchema);
        } catch (thrown) {
          run.broken = true;
          try {
            await this._fail(thrown, signal);
          } finally {
            // What tools and streams of a crashed run still do would go nowhere.
            if (isThrown(thrown, EngineCrashError)) {
              this._inbox.runEnded(true);
              controller.abort(thrown);
            }
          }
        }
      });
    } finally {
      if (this._companion) await this._companion().settle();
      this._finish();
    }
  }

  /** Usually one loop. Messages that listeners of `agent_end` queue come after its last poll and need another. */
  private async _loops(
    kind: "prompt" | "continue",
    first: Prompts<TCustom> | undefined,
    signal: AbortSignal,
    limiter: Limiter | undefined,
    responseSchema: object | undefined,
  ): Promise<void> {
    const emit = (event: AgentEventWithApprovals<TCustom>) => this._emit(event, signal);
    const report = (thrown: unknown) => this._report(thrown);
    let next = first;
    while (next) {
      const { prompts, skipFirstPoll } = next;
      const { messages, tools } = this._state;
      const context: AgentContext<TCustom> = { messages: messages.slice(), tools: tools.slice() };
      if (!this._profile.systemMessages) context.systemPrompt = this._state.systemPrompt;
      // A check that answers after the run has broken off asks nobody any more.
      const announce: typeof emit = (event) => {
        if (this._activeRun?.broken) throw new AgentError("internal", TEXT.outsideRun);
        return emit(event);
      };
      const config = loopConfig(this, this._inbox, skipFirstPoll, (request, open) =>
        this._approvals.ask(request, open, announce, report),
      );
      if (responseSchema !== undefined) config.responseSchema = responseSchema;
      this._companion?.().configure(plain(config), this._profile.prepareRequest);
      const { streamFunction: streamFn, _profile: profile } = this;
      await start({ kind, prompts, context, config, emit, signal, streamFn, profile, limiter });
      if (this._companion && (await this._companion().ended(signal))) {
        [kind, next] = ["continue", starting<TCustom>([])];
        this._state.errorMessage = undefined;
        continue;
      }
      kind = "prompt";
      next = this._ranDry && !signal.aborted ? this._inbox.takeNext() : undefined;
    }
  }

  private _emit(given: AgentEventWithApprovals<TCustom>, signal: AbortSignal): undefined | Promise<void> {
    // The types of listeners and state know the closed union only; see AgentEventWithApprovals.
    const event = given as AgentEvent<TCustom>;
    reduce(this._state, event);
    if (event.type === "message_end") {
      this._inbox.delivered(originalOf(event.message));
      if (isAnswer(event.message)) {
        this._runUsage.add(event.message);
        this._totalUsage.add(event.message);
      }
    } else if (event.type === "turn_end") {
      this._ranDry = isAnswer(event.message) && !hasFailed(event.message);
    } else if (event.type === "agent_end") {
      this._ranDry &&= this._inbox.isEmpty;
    }
    this._companion?.().observe(event as AgentEvent);
    if (this.signal !== signal) throw new AgentError("internal", TEXT.outsideRun);
    return this._broadcast.send(event, signal);
  }

  /** The closing events of a run in which something threw. */
  private async _fail(thrown: unknown, signal: AbortSignal): Promise<void> {
    this._report(thrown);
    const message = failureMessage(this._state.model, thrown, signal.aborted);
    for (const event of failureEvents<TCustom>(message, [message])) await this._emit(event, signal);
  }

  private _report(thrown: unknown): void {
    try {
      this.onError?.(thrown);
    } catch {
      // Whoever is told of errors must not add any.
    }
  }

  private _finish(): void {
    this._state.isStreaming = false;
    this._state.streamingMessage = undefined;
    this._state.pendingToolCalls = new Set();
    this._inbox.runEnded(false);
    this._approvals.clear();
    const run = this._activeRun;
    this._activeRun = undefined;
    run?.settle();
    this._companion?.().idle();
  }
}
