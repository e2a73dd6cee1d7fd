/** Compaction of a session that goes on: when it begins, what it does to the run, and what is told of it. */
import { isAnswer, roleOf } from "../answers.js";
import { after } from "../clock.js";
import { AgentBusyError } from "../errors.js";
import type { AgentContext, AgentEvent, AgentLoopConfig, AssistantMessage, Model } from "../types.js";
import { prepareCompaction } from "./compaction.js";
import type { SessionCore } from "./core.js";
import type { SessionHooks } from "./hooks.js";
import { CompactionError, fileAccessOf, type Limits, limitsFor, type SizeSettings } from "./limits.js";
import { asked, type Made, makeCompaction, type Summarizer } from "./make-compaction.js";
import { isFrom, overflow } from "./overflow.js";
import type { RunPart } from "./run-part.js";
import type { CompactionReason, CompactionResult } from "./session-events.js";
import type { CompactionPreparation, FileAccess, SessionContent } from "./types.js";
import { unlessAborted } from "./unless.js";

/** When and how a session compacts. */
export interface CompactionOptions extends SizeSettings, Summarizer {
  /** What tools do with the file that their argument `path` names, beside what they declare as `fileAccess`. */
  files?: FileAccess | undefined;
}

/** What a compaction that was begun came to; `undefined`: there was nothing to do. */
type Outcome = Made | CompactionError | undefined;

const FAILED: Record<CompactionReason, string> = {
  manual: "Compaction failed",
  threshold: "Auto-compaction failed",
  overflow: "Context overflow recovery failed",
};

/** So long a run that was told to end is waited for, in milliseconds: what holds it up may wait for the compaction. */
const PATIENCE_MS = 1000;

/** See the module. */
export class Compactor implements RunPart {
  done: Promise<void> = Promise.resolve();
  /** A compaction, or something else that no run may come between, is in progress. */
  private _active: AbortController | undefined;
  /** For each hook that is told of what is over: waits for it no longer. */
  private readonly _waiting = new Set<AbortController>();
  /** The request that was too long has been made again in this prompt. */
  private _recovered = false;
  /** A compaction of this run has failed; the next run tries again. */
  private _failed = false;
  private _last: AssistantMessage | undefined;
  /** What is queued begins a run, once the one that was told to end is over. */
  private _goesOn = false;
  /** The model whose reserve was told to be too large. */
  private _warned = "";

  constructor(
    private readonly core: SessionCore,
    readonly options: CompactionOptions,
    readonly hooks: SessionHooks,
  ) {}

  get isActive(): boolean {
    return this._active !== undefined;
  }

  /** Cancels what is in progress, and waits no longer for hooks that are told of what is over. */
  abort(): void {
    this._active?.abort();
    for (const waiting of this._waiting) waiting.abort();
  }

  /** Tells a hook of what is over. Nothing is held for it: it may send a prompt where no run waits for it. */
  async tell<E>(
    name: keyof SessionHooks,
    hook: ((event: E) => unknown) | undefined,
    event: E,
    outer?: AbortSignal,
  ): Promise<void> {
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    outer?.addEventListener("abort", stop);
    if (outer?.aborted) stop();
    this._waiting.add(waiting);
    await asked(this.core, name, hook, event, waiting.signal);
    this._waiting.delete(waiting);
    outer?.removeEventListener("abort", stop);
  }

  // --- What a run asks

  async begin(signal: AbortSignal): Promise<void> {
    this._failed = false;
    this._last = undefined;
    await this._check(this.core.agent.state.model, signal);
  }

  configure(config: AgentLoopConfig, everyRequest: boolean): void {
    const { prepareRequest, prepareNextTurn } = config;
    const checked = async (context: AgentContext, model: Model, signal: AbortSignal | undefined) =>
      (await this._check(model, signal))
        ? { ...context, messages: this.core.agent.state.messages.slice() }
        : context;
    if (everyRequest)
      config.prepareRequest = async (request, signal) => {
        const context = await checked(request.context, request.model, signal);
        const update = (await prepareRequest?.({ ...request, context }, signal)) ?? undefined;
        return context === request.context ? update : { ...update, context: update?.context ?? context };
      };
    else
      config.prepareNextTurn = async (turn) => {
        const context = await checked(turn.context, this.core.agent.state.model, this.core.agent.signal);
        const update = await prepareNextTurn?.({ ...turn, context });
        return context === turn.context ? update : { ...update, context: update?.context ?? context };
      };
  }

  observe(event: AgentEvent): void {
    if (event.type !== "message_end") return;
    const { message } = event;
    if (roleOf(message) === "user") this._recovered = false;
    if (!isAnswer(message)) return;
    this._last = message;
    if (!["error", "length", "aborted"].includes(message.stopReason)) this._recovered = false;
  }

  /** Where a request was too long, the answer is hidden and the context compacted, so that the turn is made again. */
  async ended(signal: AbortSignal): Promise<boolean> {
    const answer = this._last;
    const { model } = this.core.agent.state;
    if (!answer || this._active || !this._limits(model).enabled || overflow(answer, model) !== "retry")
      return false;
    this._last = undefined;
    if (this._recovered) {
      await this._run("overflow", false, signal, () => {
        throw new CompactionError("failed", "the request was made again once, and is too long still");
      });
      return false;
    }
    this._recovered = true;
    const hidden = this._hide(answer);
    const outcome = await this._run("overflow", true, signal);
    const compacted = outcome !== undefined && !(outcome instanceof CompactionError);
    // What came of a request that failed is no loss; the beginning of an answer is.
    if (!compacted && answer.stopReason === "length") this._show(hidden);
    return compacted && !signal.aborted;
  }

  idle(): void {
    if (this._goesOn) this._goOn();
    const answer = this._last;
    this._last = undefined;
    const { agent, recorder, disposed } = this.core;
    const { model } = agent.state;
    if (!answer || answer.stopReason === "aborted" || !isFrom(answer, model)) return;
    if (this._active || this._failed || disposed || recorder.unsaved > 0) return;
    const silent = overflow(answer, model) === "done";
    const limits = this._limits(model);
    if (limits.enabled && (silent || this._isFull(limits)))
      void this._run(silent ? "overflow" : "threshold", false, undefined);
  }

  // --- What the application asks

  /** @throws CompactionError why not; AgentBusyError something else is in progress */
  async manual(instructions: string | undefined): Promise<CompactionResult> {
    const outcome = await this._run("manual", false, undefined, undefined, instructions);
    if (outcome instanceof CompactionError) throw outcome;
    if (!outcome) throw new CompactionError("nothing_to_compact", "Nothing to compact");
    return outcome.result;
  }

  /**
   * Does something while no run and no compaction may begin.
   *
   * @param told called with what came of it, when runs may begin again and before any does
   * @throws AgentBusyError something else is in progress
   */
  async exclusively<T>(
    outer: AbortSignal | undefined,
    work: (active: AbortController) => Promise<T>,
    told?: (result: T) => void,
  ): Promise<T> {
    if (this._active) throw new AgentBusyError("A compaction or a move in the session is in progress.");
    const active = new AbortController();
    const stop = () => active.abort(outer?.reason);
    outer?.addEventListener("abort", stop);
    if (outer?.aborted) stop();
    this._active = active;
    let settle = () => {};
    this.done = new Promise((resolve) => {
      settle = resolve;
    });
    const over = () => {
      outer?.removeEventListener("abort", stop);
      this._active = undefined;
    };
    try {
      const result = await work(active);
      over();
      told?.(result);
      return result;
    } finally {
      over();
      settle();
    }
  }

  // --- How

  /** @returns whether the context was compacted */
  private async _check(model: Model, signal: AbortSignal | undefined): Promise<boolean> {
    if (this._active || this._failed || this.core.disposed || signal?.aborted) return false;
    const limits = this._limits(model);
    if (!limits.enabled || !this._isFull(limits)) return false;
    const outcome = await this._run("threshold", false, signal);
    return outcome !== undefined && !(outcome instanceof CompactionError);
  }

  private _limits(model: Model): Limits {
    const limits = limitsFor(model, this.options);
    const name = `${model.provider}/${model.id}`;
    if (limits.clamped && this._warned !== name) {
      this._warned = name;
      this.core.warn(`reserveTokens is more than half of the context of ${name}; half is used.`);
    }
    return limits;
  }

  private _isFull({ window, threshold }: Limits): boolean {
    const { tree, transcript } = this.core;
    return window > 0 && transcript.size.isAbove(threshold, () => tree.contextSize().tokens);
  }

  private _prepare(): CompactionPreparation | undefined {
    const { agent, tree } = this.core;
    const { keepRecentTokens } = this._limits(agent.state.model);
    const files = fileAccessOf(agent.state.tools, this.options.files);
    return prepareCompaction(tree, { keepRecentTokens }, files);
  }

  /** @param first what else has to be right; throws a `CompactionError` where it is not */
  private async _run(
    reason: CompactionReason,
    willRetry: boolean,
    outer: AbortSignal | undefined,
    first?: () => void,
    instructions?: string,
  ): Promise<Outcome> {
    const { agent, events } = this.core;
    const manual = reason === "manual";
    const work = async (active: AbortController): Promise<Outcome> => {
      if (manual) {
        agent.abort();
        await unlessAborted(
          active.signal,
          new Promise<void>((resolve) => {
            const stop = after(PATIENCE_MS, resolve);
            void agent.waitForIdle().then(() => resolve(stop()));
          }),
        );
      }
      let begun = false;
      const begin = () => {
        begun = true;
        events.emit({ type: "compaction_start", reason });
      };
      try {
        const preparation = this._prepare();
        // A context that is full and cannot be made smaller is no news; that a request does not fit is.
        if (!preparation && reason === "threshold") return undefined;
        begin();
        if (active.signal.aborted) throw new CompactionError("cancelled", "Compaction cancelled");
        first?.();
        if (!preparation) throw this._nothing();
        return await makeCompaction(this.core, this.options, this.hooks, {
          ...{ reason, willRetry, preparation, branchEntries: this.core.tree.getBranch() },
          ...{ customInstructions: instructions, signal: active.signal },
        });
      } catch (thrown) {
        if (!begun) begin();
        if (thrown instanceof CompactionError) return thrown;
        return new CompactionError(
          "failed",
          thrown instanceof Error ? thrown.message : String(thrown),
          thrown,
        );
      }
    };
    const outcome = await this.exclusively(outer, work, (result) => {
      this._tell(reason, willRetry, result);
      this._goesOn = manual && agent.state.isStreaming;
      if (!agent.state.isStreaming) this._goOn();
    });
    if (outcome instanceof CompactionError) {
      this._failed = true;
      await this.tell("compactionFailed", this.hooks.compactionFailed, failureOf(reason, outcome), outer);
    } else if (outcome) await this.tell("afterCompaction", this.hooks.afterCompaction, outcome.told, outer);
    return outcome;
  }

  private _tell(reason: CompactionReason, willRetry: boolean, outcome: Outcome): void {
    if (!outcome) return;
    const { events } = this.core;
    if (!(outcome instanceof CompactionError)) {
      events.emit({ type: "compaction_end", reason, result: outcome.result, aborted: false, willRetry });
      return;
    }
    events.emit({ type: "compaction_end", ...failureOf(reason, outcome) });
  }

  private _nothing(): CompactionError {
    const { tree } = this.core;
    const last = tree.getBranch().at(-1);
    return last?.type === "compaction"
      ? new CompactionError("already_compacted", "Already compacted")
      : new CompactionError("nothing_to_compact", "Nothing to compact (session too small)");
  }

  /** What was queued meanwhile begins a run. */
  private _goOn(): void {
    this._goesOn = false;
    const { agent, disposed, role } = this.core;
    // Without a message there is no run to take up; the next prompt brings what is queued.
    const isEmpty = agent.state.messages.every((message) => roleOf(message) === "system");
    if (disposed || isEmpty || role === "mirror" || !agent.hasQueuedMessages()) return;
    agent.continue().catch((thrown: unknown) => agent.onError?.(thrown));
  }

  /** Hides an answer, and the results of its calls, from the model. Gives what was hidden. */
  private _hide(answer: AssistantMessage): [id: string, content: SessionContent][] {
    const { messages } = this.core.agent.state;
    const place = messages.lastIndexOf(answer);
    const hidden: [string, SessionContent][] = [];
    for (const message of [answer, ...messages.slice(place + 1)]) {
      const entry = this.core.entryOf(message);
      if (!entry || (message !== answer && message.role !== "toolResult")) continue;
      this.core.append((tree) => tree.appendContextEdit(entry.id, null));
      hidden.push([entry.id, (message as { content: SessionContent }).content]);
    }
    this.core.transcript.install();
    return hidden;
  }

  /** Shows what was hidden again. */
  private _show(hidden: [id: string, content: SessionContent][]): void {
    for (const [id, content] of hidden) this.core.append((tree) => tree.appendContextEdit(id, { content }));
    this.core.transcript.install();
  }
}

/** What is told of a compaction that has failed. */
function failureOf(reason: CompactionReason, { refusal, message }: CompactionError) {
  const aborted = refusal === "cancelled";
  const errorMessage = `${FAILED[reason]}: ${message}`;
  return { reason, aborted, willRetry: false, ...(aborted ? {} : { errorMessage }) };
}
