/// <reference lib="esnext.disposable" preserve="true" />
import { Broadcast } from "./broadcast.js";
import { AgentBusyError, AgentError, TEXT } from "./errors.js";
import { EventStream } from "./event-stream.js";
import { failureEvents, failureMessage } from "./failure.js";
import { Inbox, type Prompts } from "./inbox.js";
import { oneMessage, type PromptInput, promptMessages } from "./input.js";
import { start, withEngine } from "./launch.js";
import { loopConfig } from "./loop-config.js";
import { type Profile, profile } from "./profile.js";
import { AgentSettings } from "./settings.js";
import { createState, type MutableState, reduce } from "./state.js";
import { getCurrentSystemMessage, originalOf } from "./transcript.js";
import type {
  AgentContext,
  AgentEvent,
  AgentListener,
  AgentMessage,
  AgentOptions,
  AgentState,
  AgentUsage,
  AssistantMessage,
  CustomMessage,
  ImageContent,
  QueueMode,
  Receipt,
} from "./types.js";
import { UsageMeter } from "./usage.js";

// Older browsers do not have the symbol; then the method is only reachable as `dispose()`.
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

interface ActiveRun {
  readonly controller: AbortController;
  /** Resolves when the run is over and all its listeners have finished. */
  readonly idle: Promise<void>;
  readonly settle: () => void;
}

/**
 * An agent: a transcript, tools, a model, and the loop that lets them work.
 *
 * One run at a time. Messages for the agent while it works go through `steer()` and `followUp()`.
 *
 * `TCustom` is the type of the application's own messages. Private members are plain properties, not `#private` ones, so
 * that an agent also works behind the proxy of a reactive framework.
 */
export class Agent<TCustom extends CustomMessage = never> extends AgentSettings<TCustom> {
  private readonly profile: Profile;
  private readonly mutableState: MutableState<TCustom>;
  private readonly broadcast = new Broadcast<TCustom>();
  private readonly inbox: Inbox<TCustom>;
  private readonly runUsage = new UsageMeter();
  private readonly totalUsage = new UsageMeter();
  private activeRun: ActiveRun | undefined;
  /** The run stopped by itself with empty queues: it would miss what listeners of `agent_end` queue. */
  private ranDry = false;

  /**
   * Nothing is loaded and nothing runs until the first prompt.
   *
   * @param base which version's behaviour, for the entry `steersman/pi-0.85`
   * @throws AgentError `invalid_request` when there is no `streamFn` and no default, or a tool has no usable schema
   */
  constructor(options?: AgentOptions<TCustom>, base: Profile = profile("1.6.0")) {
    const given: AgentOptions<TCustom> = options ?? {};
    super(given, base);
    this.profile = base;
    this.mutableState = createState(given.initialState, base);
    this.inbox = new Inbox(given.steeringMode ?? "one-at-a-time", given.followUpMode ?? "one-at-a-time");
  }

  /** The live state. */
  get state(): AgentState<TCustom> {
    return this.mutableState;
  }

  /** The abort signal of the run in progress. */
  get signal(): AbortSignal | undefined {
    return this.activeRun?.controller.signal;
  }

  /** Tokens and cost so far. A snapshot; read it again after the next `message_end`. */
  get usage(): AgentUsage {
    return { run: this.runUsage.totals(), total: this.totalUsage.totals() };
  }

  get steeringMode(): QueueMode {
    return this.inbox.steering.mode;
  }

  set steeringMode(mode: QueueMode) {
    this.inbox.steering.mode = mode;
  }

  get followUpMode(): QueueMode {
    return this.inbox.followUps.mode;
  }

  set followUpMode(mode: QueueMode) {
    this.inbox.followUps.mode = mode;
  }

  /**
   * Adds a listener. Listeners are awaited one after the other, and the run waits for them; what a listener throws ends
   * the run with an error.
   *
   * @returns removes the listener (at run time it also tells whether the listener was still there)
   */
  subscribe(listener: AgentListener<TCustom>): () => void {
    return this.broadcast.subscribe(listener);
  }

  /**
   * All events from now on, for one consumer. Unlike a listener it cannot hold up or break a run. Leaving the loop ends
   * it, and so does `dispose()`. Events that are not read yet are kept.
   */
  events(): AsyncIterableIterator<AgentEvent<TCustom>, undefined> {
    return this.broadcast.events();
  }

  /**
   * Starts a run and returns when it is over. Failures of the run do not reject: they end up in the transcript and in
   * `state.errorMessage`.
   *
   * @param input text, a message, or several messages
   * @param images added to a text
   * @returns rejects with `AgentBusyError` during a run, with `EngineLoadError` when the engine cannot be loaded, and
   *   with what a listener throws while it is told of a failure
   */
  async prompt(input: PromptInput<TCustom>, images?: readonly ImageContent[]): Promise<void> {
    if (this.activeRun) throw new AgentBusyError(TEXT.busyPrompt);
    const prompts = promptMessages(input, images);
    await this.run("prompt", () => ({ prompts, skipFirstPoll: false }));
  }

  /**
   * Like `prompt()`, and returns the events of the run to iterate over. The stream ends when the run is over;
   * `result()` gives the messages that the run has added. Leaving the loop does not abort the run.
   *
   * Where `prompt()` would reject, iteration and `result()` do.
   */
  stream(
    input: PromptInput<TCustom>,
    images?: readonly ImageContent[],
  ): EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]> {
    // Complete only when the run has settled, not already at `agent_end`.
    const stream = new EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]>(
      () => false,
      () => [],
    );
    if (this.activeRun) {
      stream.fail(new AgentBusyError(TEXT.busyPrompt));
      return stream;
    }
    const added: AgentMessage<TCustom>[] = [];
    const untap = this.broadcast.tap({
      push(event) {
        if (event.type === "message_end") added.push(event.message);
        stream.push(event);
      },
      close: () => stream.end(added),
    });
    this.prompt(input, images)
      .then(
        () => stream.end(added),
        (thrown: unknown) => stream.fail(thrown),
      )
      .finally(untap);
    return stream;
  }

  /**
   * Starts a run from the transcript as it is. After an answer, queued messages become the prompt: steering first, then
   * follow-ups.
   *
   * @returns rejects as `prompt()` does, and with `invalid_request` when there is nothing to continue from
   */
  async continue(): Promise<void> {
    if (this.activeRun) throw new AgentBusyError(TEXT.busyContinue);
    const { messages } = this.mutableState;
    const last = messages[messages.length - 1];
    if (!last || messages.every((message) => message.role === "system")) {
      throw new AgentError("invalid_request", TEXT.nothingToContinue);
    }
    if (last.role !== "assistant") return this.run("continue", () => ({ prompts: [], skipFirstPoll: false }));
    if (this.inbox.isEmpty) throw new AgentError("invalid_request", TEXT.assistantLast);
    await this.run("prompt", () => this.inbox.takeNext());
  }

  /** Queues a message for the next turn of the run in progress, or for the next run. */
  steer(message: AgentMessage<TCustom>): Receipt {
    return this.inbox.steer(message);
  }

  /** Queues a message for when the run would end. */
  followUp(message: AgentMessage<TCustom>): Receipt {
    return this.inbox.followUp(message);
  }

  /**
   * Sends a message whether or not a run is in progress: starts a run, or queues the message as a follow-up. Never
   * throws; when the run cannot be started the message is dropped and `onError` is told why.
   */
  send(input: string | AgentMessage<TCustom>, images?: readonly ImageContent[]): Receipt {
    const message = oneMessage<TCustom>(input, images);
    if (this.activeRun) return this.inbox.followUp(message);
    const entry = this.inbox.entry(message);
    this.run("prompt", () => ({ prompts: this.inbox.take(entry), skipFirstPoll: false })).catch((thrown) => {
      entry.receipt.settle("dropped");
      this.report(thrown);
    });
    return entry.receipt;
  }

  clearSteeringQueue(): void {
    this.inbox.steering.clear();
  }

  clearFollowUpQueue(): void {
    this.inbox.followUps.clear();
  }

  clearAllQueues(): void {
    this.inbox.clear();
  }

  hasQueuedMessages(): boolean {
    return !this.inbox.isEmpty;
  }

  /** The messages that would go in next. They stay queued. */
  peekQueuedMessages(): AgentMessage<TCustom>[] {
    return this.inbox.peek();
  }

  /**
   * Aborts the run in progress, if any. The run ends by itself once its request and its tools have noticed the signal.
   *
   * @param reason becomes `signal.reason`
   */
  abort(reason?: unknown): void {
    this.activeRun?.controller.abort(reason);
  }

  /** Resolves when no run is in progress and all its listeners have finished. Do not await it inside a listener. */
  waitForIdle(): Promise<void> {
    return this.activeRun?.idle ?? Promise.resolve();
  }

  /**
   * Empties transcript and queues. Prompt and tools are kept, as one system message.
   *
   * @throws AgentBusyError during a run
   */
  reset(): void {
    if (this.activeRun) throw new AgentBusyError(TEXT.busyReset);
    const state = this.mutableState;
    const baseline = this.profile.resetKeepsBaseline ? getCurrentSystemMessage(state.messages) : undefined;
    state.messages = baseline ? [baseline] : [];
    state.isStreaming = false;
    state.streamingMessage = undefined;
    state.pendingToolCalls = new Set();
    state.errorMessage = undefined;
    this.runUsage.reset();
    this.totalUsage.reset();
    this.inbox.clear();
  }

  /**
   * Lets go of everything: aborts the run, drops queued messages, ends all `events()` and, once the run is over, removes
   * the listeners that are there now. Harmless when called twice; the transcript stays, and the agent can be used again.
   */
  dispose(): void {
    this.abort();
    this.inbox.clear();
    this.broadcast.dispose(this.waitForIdle());
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
  private async run(
    kind: "prompt" | "continue",
    takePrompts: () => Prompts<TCustom> | undefined,
  ): Promise<void> {
    let settle = () => {};
    const idle = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const controller = new AbortController();
    this.activeRun = { controller, idle, settle };
    this.mutableState.isStreaming = true;
    this.mutableState.streamingMessage = undefined;
    this.mutableState.errorMessage = undefined;
    this.runUsage.reset();
    try {
      await withEngine(async () => {
        const { signal } = controller;
        try {
          await this.loops(kind, takePrompts(), signal);
        } catch (thrown) {
          await this.fail(thrown, signal);
        }
      });
    } finally {
      this.finish();
    }
  }

  /** Usually one loop. Messages that listeners of `agent_end` queue come after its last poll and need another. */
  private async loops(
    kind: "prompt" | "continue",
    first: Prompts<TCustom> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    let next = first;
    while (next) {
      const { prompts, skipFirstPoll } = next;
      const { systemPrompt, messages, tools } = this.mutableState;
      const context: AgentContext<TCustom> = { messages: messages.slice(), tools: tools.slice() };
      if (!this.profile.systemMessages) context.systemPrompt = systemPrompt;
      const config = loopConfig(this, this.inbox, skipFirstPoll);
      const emit = (event: AgentEvent<TCustom>) => this.emit(event, signal);
      const { streamFunction: streamFn, profile } = this;
      await start({ kind, prompts, context, config, emit, signal, streamFn, profile });
      kind = "prompt";
      next = this.ranDry && !signal.aborted ? this.inbox.takeNext() : undefined;
    }
  }

  private emit(event: AgentEvent<TCustom>, signal: AbortSignal): undefined | Promise<void> {
    reduce(this.mutableState, event);
    if (event.type === "message_end") {
      this.inbox.delivered(originalOf(event.message));
      if (isAnswer(event.message)) {
        this.runUsage.add(event.message);
        this.totalUsage.add(event.message);
      }
    } else if (event.type === "turn_end") {
      this.ranDry = isAnswer(event.message) && !hasFailed(event.message);
    } else if (event.type === "agent_end") {
      this.ranDry &&= this.inbox.isEmpty;
    }
    if (this.signal !== signal) throw new AgentError("internal", TEXT.outsideRun);
    return this.broadcast.send(event, signal);
  }

  /** The closing events of a run in which something threw. */
  private async fail(thrown: unknown, signal: AbortSignal): Promise<void> {
    this.report(thrown);
    const message = failureMessage(this.mutableState.model, thrown, signal.aborted);
    for (const event of failureEvents<TCustom>(message, [message])) await this.emit(event, signal);
  }

  private report(thrown: unknown): void {
    try {
      this.onError?.(thrown);
    } catch {
      // Whoever is told of errors must not add any.
    }
  }

  private finish(): void {
    this.mutableState.isStreaming = false;
    this.mutableState.streamingMessage = undefined;
    this.mutableState.pendingToolCalls = new Set();
    this.inbox.runEnded();
    const run = this.activeRun;
    this.activeRun = undefined;
    run?.settle();
  }
}

function isAnswer(message: CustomMessage): message is AssistantMessage {
  return message.role === "assistant";
}

function hasFailed(answer: AssistantMessage): boolean {
  return answer.stopReason === "error" || answer.stopReason === "aborted";
}
