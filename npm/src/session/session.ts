/** A session: an agent whose conversation is kept. */
import type { Agent } from "../agent.js";
import {
  type OneInput,
  oneMessage,
  type PromptInput,
  type PromptOptions,
  type RunOptions,
} from "../input.js";
import { checkNames } from "../names.js";
import type { AgentMessage, AsyncEvents, CustomMessage, ImageContent, Receipt } from "../types.js";
import { type CompactionOptions, Compactor } from "./auto-compaction.js";
import { type ContextUsage, contextUsage } from "./context-usage.js";
import { SessionCore } from "./core.js";
import type { FindModel } from "./core-options.js";
import { given, givenStore } from "./given.js";
import type { SessionHooks } from "./hooks.js";
import { checkSizes } from "./limits.js";
import type { CompactionResult, Restored, SessionEvent, SessionListener } from "./session-events.js";
import { type ForkOptions, forkInto } from "./fork.js";
import { MemoryStore } from "./memory-store.js";
import {
  moveTo,
  type Navigated,
  type NavigateOptions,
  navigate,
  newestBelow,
  promptBefore,
  versionsOf,
} from "./navigation.js";
import type { SessionStore, StoreRole } from "./store.js";
import { type SessionTree, sourcesOf } from "./tree.js";
import type { NewSessionOptions, SessionEntry, SessionTreeNode } from "./types.js";

/** What a session is made of. */
export interface SessionOptions<TCustom extends CustomMessage = never>
  extends Omit<NewSessionOptions, "id" | "parentSession"> {
  /** The agent. It keeps its hooks; the application may go on to use it directly. */
  agent: Agent<TCustom>;
  /** Where the session is kept; its id is that of the session. */
  store: SessionStore;
  /** The branch of the store. Default `main`. */
  branch?: string | undefined;
  /** When and how the conversation is compacted. `{ enabled: false }`: only when asked to. */
  compaction?: CompactionOptions | undefined;
  hooks?: SessionHooks | undefined;
  /** Finds the model that a stored session names, for the agent. Without it the agent keeps its own. */
  findModel?: FindModel | undefined;
}

/**
 * Keeps the conversation of an agent: every message is in the store when the run is over, and a session that was stored
 * before goes on. Nothing of the agent is replaced; `agent.prompt()` and its listeners work as ever.
 *
 * Methods that add or move reject with an `AgentBusyError` where another page, or another session of this page, writes.
 */
export class Session<TCustom extends CustomMessage = never> {
  /** Resolves when the store is open and the agent has its messages; rejects with an `AgentError` `storage_...`. */
  readonly ready: Promise<this>;
  private readonly _agent: Agent<TCustom>;
  // Functions, so that the proxies of reactive frameworks leave what they give as it is.
  private readonly _core: () => SessionCore;
  private readonly _compactor: () => Compactor;

  /**
   * Opens the store; `ready` tells when that is done.
   *
   * @throws AgentBusyError the agent has a session already; AgentError `invalid_request` for an option that
   *   does not exist, or a size that makes no sense
   */
  constructor(options: SessionOptions<TCustom>) {
    const {
      agent,
      branch = "main",
      findModel,
      compaction = {},
      hooks = {},
      ...rest
    } = given(options, "options");
    checkNames("option of a session", options, {
      ...{ agent, store: 1, branch, compaction, hooks, findModel },
      ...{ cwd: 1, ids: 1, now: 1 },
    });
    given(agent?.waitForIdle, "agent.waitForIdle", "function");
    givenStore(rest.store);
    sourcesOf(rest);
    given(branch, "branch", "string");
    given(hooks, "hooks");
    checkSizes(given(compaction, "compaction"));
    this._agent = agent;
    // The core does not tell messages of the application apart.
    const core = new SessionCore({ ...rest, agent: agent as unknown as Agent, branch, findModel });
    const compactor = new Compactor(core, compaction, hooks);
    core.part = compactor;
    this._core = () => core;
    this._compactor = () => compactor;
    this.ready = core.ready.then(() => this);
    this.ready.catch(() => {});
  }

  /** A session that is ready. */
  static open<TCustom extends CustomMessage = never>(
    options: SessionOptions<TCustom>,
  ): Promise<Session<TCustom>> {
    return new Session(options).ready;
  }

  get agent(): Agent<TCustom> {
    return this._agent;
  }

  get store(): SessionStore {
    return this._core().store;
  }

  /** The entries. @throws AgentError `invalid_request` before the session is ready */
  get tree(): SessionTree {
    return this._core().tree;
  }

  get id(): string {
    return this._core().store.id;
  }

  get name(): string | undefined {
    return this._core().name;
  }

  /** `mirror`: somebody else writes, and this session follows. */
  get role(): StoreRole {
    return this._core().role;
  }

  /** What was found when the session was opened. */
  get restored(): Restored | undefined {
    return this._core().restored;
  }

  /** How many entries are not stored yet; a move without an entry is one. `waitForIdle()` tries again. */
  get unsaved(): number {
    return this._core().recorder.unsaved;
  }

  /** The entries that are not stored yet; also those that could not be when another page took the session over. */
  get unsavedEntries(): SessionEntry[] {
    return this._core().recorder.entries();
  }

  /** Whether a compaction, or a move in the session, is in progress. */
  get isCompacting(): boolean {
    return this._compactor().isActive;
  }

  /** Whether a run, a compaction or a move is in progress. */
  get isBusy(): boolean {
    return this._agent.state.isStreaming || this.isCompacting;
  }

  /** As `agent.prompt()`. Resolves when all is stored, or `unsaved` says what is not. */
  async prompt(
    input: PromptInput<TCustom>,
    options?: readonly ImageContent[] | PromptOptions,
  ): Promise<void> {
    mustBeMessages(input);
    await this.ready;
    this._core().mustWrite();
    await this._agent.prompt(input, options);
    await this.waitForIdle();
  }

  /** As `agent.continue()`. Resolves when all is stored, or `unsaved` says what is not. */
  async continue(options: RunOptions = {}): Promise<void> {
    given(options, "options");
    await this.ready;
    this._core().mustWrite();
    await this._agent.continue(options);
    await this.waitForIdle();
  }

  /** As `agent.steer()`. */
  steer(input: OneInput<TCustom>): Receipt {
    return this._agent.steer(given(input, "message"));
  }

  /** As `agent.followUp()`. */
  followUp(input: OneInput<TCustom>): Receipt {
    return this._agent.followUp(given(input, "message"));
  }

  /**
   * As `agent.send()`. In a page that only follows, the page that writes gets the message and answers it; until the receipt
   * is settled it is being sent, then it is stored and here. `dropped`: it could not be handed on, as a `warning` says, or not be answered.
   */
  send(input: OneInput<TCustom>, images?: readonly ImageContent[]): Receipt {
    mustBeMessages([input]);
    const message = oneMessage<TCustom>(input, given(images ?? [], "images", "array"));
    if (this.role === "writer") return this._agent.send(message);
    return this._core().outbox.send(message as AgentMessage);
  }

  /**
   * Resolves when nothing is in progress and all is stored, or `unsaved` says what is not. Do not await it inside of a tool,
   * a hook or a listener, which the run waits for; `void session.waitForIdle().then(...)` is for what comes after the run.
   */
  async waitForIdle(): Promise<void> {
    do {
      await this._agent.waitForIdle();
      await this._compactor().done;
    } while (this.isBusy);
    await this._core().recorder.flush();
  }

  /**
   * Puts a summary in place of the older part of the conversation. Stops the run in progress first, and does not take it up
   * again; what is queued begins a run afterwards. What holds a run up for a second, such as a tool that awaits this, does
   * not hold the compaction up.
   *
   * @param instructions what the summary should look at
   * @returns rejects with a `CompactionError`, and nothing has changed: see `refusal`; with an `AgentBusyError` while
   *   another one is in progress
   */
  async compact(instructions?: string): Promise<CompactionResult> {
    await this.ready;
    this._core().mustWrite();
    return this._compactor().manual(instructions);
  }

  /** Cancels the compaction in progress, or the summary of a branch. Nothing is stored then. */
  abortCompaction(): void {
    this._compactor().abort();
  }

  /**
   * Goes to another entry. At a message of the user the leaf is what stands before it, and its text is given back to be
   * written anew; at any other entry it is the entry itself. The agent has the messages of that branch then.
   *
   * @returns rejects with an `AgentBusyError` while something is in progress, a `SessionError` `unknown_entry`, or with
   *   what came of the request for the summary; nothing has changed then
   */
  async navigate(targetId: string, options?: NavigateOptions): Promise<Navigated> {
    await this.ready;
    return navigate(this._core(), this._compactor(), targetId, options);
  }

  /** Goes to an entry itself; what comes next follows it. Rejects as `navigate()` does. */
  async branch(entryId: string): Promise<void> {
    await this.ready;
    return moveTo(this._core(), this._compactor(), entryId);
  }

  /** Says something else in place of a message of the user, on a branch of its own. */
  async editAndResend(
    entryId: string,
    input: PromptInput<TCustom>,
    options?: readonly ImageContent[] | PromptOptions,
  ): Promise<void> {
    mustBeMessages(input);
    await this.ready;
    const { cancelled } = await navigate(this._core(), this._compactor(), entryId, {}, true);
    if (!cancelled) await this.prompt(input, options);
  }

  /** Asks for another answer to the message that an entry, or the leaf, goes back to, on a branch of its own. */
  async regenerate(entryId?: string, options: RunOptions = {}): Promise<void> {
    given(options, "options");
    await this.ready;
    await this.branch(promptBefore(this._core().tree, entryId));
    await this.continue(options);
  }

  /** The messages that stand in the place of an entry on all branches, oldest first, and which of them it is. */
  versions(entryId: string): { entries: SessionEntry[]; index: number } {
    return versionsOf(this._core().tree, entryId);
  }

  /** Shows the branch of a version: goes to the newest entry below it. Rejects as `navigate()` does. */
  async switchTo(entryId: string): Promise<void> {
    await this.ready;
    return moveTo(this._core(), this._compactor(), newestBelow(this._core().tree, entryId));
  }

  /**
   * Copies the session, or the path to `entryId` alone, into another store, under the id of that store. Give it to a
   * session of its own.
   *
   * @returns the store; rejects with a `SessionError` `not_empty` where it holds a session, and as its `commit()` does
   */
  async fork(options: ForkOptions = {}): Promise<SessionStore> {
    const { store = new MemoryStore(), entryId } = given(options, "options");
    await this.ready;
    return forkInto(this._core().tree, givenStore(store), this.name, entryId);
  }

  /**
   * How full the context of the model is. `tokens` is null right after a compaction, until the next answer counts;
   * `percent` is null with it, and when the model has no window.
   */
  contextUsage(): ContextUsage {
    return contextUsage(this._core().tree, this._agent.state.model);
  }

  /** All entries as a forest, for views. */
  getTree(): SessionTreeNode[] {
    return this._core().tree.getTree();
  }

  /** The entry of a message of `agent.state.messages`. */
  entryOf(message: AgentMessage<TCustom>): SessionEntry | undefined {
    return this._core().entryOf(message as AgentMessage);
  }

  /** Names the session; a blank name takes the name away. Resolves when it is stored, or `unsaved` says that it is not. */
  async setName(name: string): Promise<void> {
    given(name, "name", "string");
    await this.ready;
    this._core().mustWrite();
    this._core().setName(name.replace(/[\r\n]+/g, " ").trim());
    await this._core().recorder.flush();
  }

  /** Labels an entry; without a label it is taken away. Resolves when it is stored, or `unsaved` says that it is not. */
  async setLabel(entryId: string, label?: string): Promise<void> {
    await this.ready;
    this._core().mustWrite();
    this._core().append((tree) => tree.appendLabelChange(entryId, label));
    await this._core().recorder.flush();
  }

  /** Tells what happens to the session. Gives a function that stops it. */
  subscribe(listener: SessionListener): () => void {
    return this._core().events.subscribe(listener);
  }

  /** All events from now on, for one consumer. */
  events(): AsyncEvents<SessionEvent> {
    return this._core().events.iterate();
  }

  /** Makes this page the one that writes; resolves when it is. The other page stops its run. */
  takeOver(): Promise<void> {
    return this._core().takeOver();
  }

  /**
   * Lets go of the agent and of the store, when all is stored. The store is closed, unless `keepStore` is set or another
   * session uses it. A run in progress goes on unrecorded: `agent.abort()` and wait for it first.
   *
   * @param options `force`: does not wait for a store that does not answer, also when it was called without it before;
   *   what is not stored then may be lost (see `unsavedEntries`)
   */
  async dispose(options: { keepStore?: boolean; force?: boolean } = {}): Promise<void> {
    const { keepStore = false, force = false } = given(options, "options");
    return this._core().dispose(keepStore, force);
  }
}

/** What is none would be in the transcript, and break every run from then on. @throws AgentError `invalid_request` */
function mustBeMessages(input: unknown): void {
  for (const message of [input].flat()) if (typeof message !== "string") given(message, "input");
}
