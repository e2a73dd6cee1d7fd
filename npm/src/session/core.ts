/** What a session does with its agent and its store: it records, restores, and minds who may write. */
import type { Agent } from "../agent.js";
import { accompanied, type Companion } from "../companion.js";
import { readyForSessions } from "../engine/session.js";
import { AgentBusyError, AgentError } from "../errors.js";
import type { AgentEvent, AgentLoopConfig, AgentMessage, Model, ThinkingLevel } from "../types.js";
import type { CoreOptions } from "./core-options.js";
import { type Handed, Outbox } from "./outbox.js";
import { isOwner, joinStore, leave, leaveStore, type Owner, ownersOf } from "./owners.js";
import { Recorder, storeCode, textOf } from "./recorder.js";
import { forModel, mended } from "./request.js";
import { readStore, type Stored } from "./restore.js";
import type { RunPart } from "./run-part.js";
import { type Restored, SessionEvents } from "./session-events.js";
import {
  NAME,
  type SessionStore,
  setOrDelete,
  type StoreEvent,
  type StoreRole,
  type StoreWrite,
} from "./store.js";
import { Transcript } from "./transcript.js";
import type { SessionTree } from "./tree.js";
import { unlessAborted } from "./unless.js";
import type { SessionEntry } from "./types.js";

const MIRROR =
  "This session is open for writing elsewhere (another page, or a store here that was not closed), and is only followed here. send() hands a message on, takeOver() makes this page the writer.";
/** After these nothing can be stored here any more, whatever is tried. */
const ENDS = new Set(["gone", "closed", "version"]);

/** See the module. */
export class SessionCore implements Companion, Owner {
  readonly agent: Agent;
  readonly store: SessionStore;
  readonly events: SessionEvents;
  readonly recorder: Recorder;
  readonly ready: Promise<void>;
  restored: Restored | undefined;
  role: StoreRole = "mirror";
  part: RunPart | undefined;
  private _tree: SessionTree | undefined;
  private _name: string | undefined;
  readonly transcript: Transcript;
  readonly outbox = new Outbox(this);
  private _lastSeq = 0;
  private _stopping = false;
  /** Why nothing can be stored here any more. */
  private _ended: AgentError | undefined;
  private _disposed = false;
  private _disposing: Promise<void> | undefined;
  /** The store is not waited for any more. */
  private readonly _giveUp = new AbortController();
  /** Reading what others have written, one time after the other. */
  private _following: Promise<void> = Promise.resolve();
  private _stale = false;
  /** A copy that the store keeps for reading fast is damaged: it is read without any. */
  private _plain = false;
  private readonly _unsubscribe: () => void;

  constructor(private readonly options: CoreOptions) {
    const { agent, store } = options;
    this.agent = agent;
    this.store = store;
    this.events = new SessionEvents((thrown) => {
      try {
        agent.onError?.(thrown);
      } catch {
        // Whoever is told of errors must not add any.
      }
    });
    this.recorder = new Recorder(
      store,
      options.branch,
      (thrown) => this._storageFailed(thrown),
      (lastSeq) => this._storedUpTo(lastSeq),
    );
    this.recorder.paused = true;
    this.transcript = new Transcript(this);
    const place = accompanied(agent);
    const before = place._companion?.() as SessionCore | undefined;
    // Views are mounted, taken down and mounted again in one go (StrictMode): the next session waits for the last one.
    if (before && (!before._disposed || agent.state.isStreaming))
      throw new AgentBusyError("This agent has a session already; dispose() it first.");
    place._companion = () => this;
    joinStore(store, this);
    this._unsubscribe = store.subscribe((event) => this._told(event));
    this.ready = this._open(before?._disposing);
    // Whoever waits for it gets the error; the page need not.
    this.ready.catch(() => {});
  }

  /** @throws AgentError `invalid_request` before the session is ready */
  get tree(): SessionTree {
    if (!this._tree)
      throw new AgentError("invalid_request", "The session is not open yet: await session.ready first.");
    return this._tree;
  }

  get name(): string | undefined {
    return this._tree?.getSessionName() ?? this._name;
  }

  get disposed(): boolean {
    return this._disposed;
  }

  /** @throws AgentBusyError where this page may not write; AgentError `storage_...` where nobody can */
  mustWrite(): void {
    if (this._ended) throw this._ended;
    if (this.role === "mirror") throw new AgentBusyError(MIRROR);
  }

  /** Adds an entry to the tree, and to what is to be stored. */
  append(add: (tree: SessionTree) => string, ...beside: StoreWrite[]): SessionEntry {
    const id = add(this.tree);
    const entry = this.tree.getEntry(id) as SessionEntry;
    this.recorder.add(id, { kind: "entry", entry }, ...beside);
    this.events.emit({ type: "entry_added", entry });
    return entry;
  }

  /** Tells of a leaf that was moved without an entry. */
  moved(oldLeaf: string | null, newLeaf: string | null): void {
    this.recorder.add(newLeaf);
    this.events.emit({ type: "session_tree", oldLeaf, newLeaf });
  }

  /** The entry of a message of the agent. */
  entryOf(message: AgentMessage): SessionEntry | undefined {
    const id = this.transcript.idOf(message);
    return id === undefined ? undefined : this._tree?.getEntry(id);
  }

  /** @param name without line breaks */
  setName(name: string): void {
    // Files of version 4 keep the name beside the tree.
    const beside = this._name === undefined ? [] : [setOrDelete(NAME, "", name || undefined)];
    this.append((tree) => tree.appendSessionInfo(name), ...beside);
    if (beside.length > 0) this._name = name || undefined;
  }

  /** Tells of something that is not as it should be, and goes on. */
  warn(message: string, cause?: unknown): void {
    const code = cause instanceof AgentError ? cause.code : "internal";
    this.events.emit({ type: "warning", error: new AgentError(code, message, { cause }) });
  }

  async takeOver(): Promise<void> {
    await this.ready;
    joinStore(this.store, this, true);
    await this.store.takeOver();
    await this._checkRole();
  }

  dispose(keepStore: boolean, force: boolean): Promise<void> {
    if (force) this._giveUp.abort();
    this._disposing ??= leave(this.store.id, this._dispose(keepStore));
    return this._disposing;
  }

  private async _dispose(keepStore: boolean): Promise<void> {
    this._disposed = true;
    this.part?.abort();
    await this._unlessGivenUp(
      (async () => {
        await this.ready.catch(() => {});
        await this.part?.done;
        await this.recorder.flush();
      })(),
    );
    const place = accompanied(this.agent);
    if (place._companion?.() === this) place._companion = undefined;
    this._unsubscribe();
    leaveStore(this.store, this);
    this.outbox.close();
    this.events.close();
    if (!keepStore && ownersOf(this.store).length === 0) await this._unlessGivenUp(this.store.close());
  }

  /** Waits for the store, unless nobody waits for it any more. */
  private _unlessGivenUp(work: Promise<void>): Promise<void> {
    return unlessAborted(this._giveUp.signal, work);
  }

  // --- What the agent tells

  async admit(signal: AbortSignal): Promise<void> {
    await this._unlessGivenUp(this.ready);
    // A compaction that is asked for stops the run that waits for it.
    await unlessAborted(signal, this.part?.done);
    await this._following;
    this.mustWrite();
    this._stopping = false;
    this.transcript.begin();
    await this.part?.begin(signal);
  }

  configure(config: AgentLoopConfig, everyRequest: boolean): void {
    const { transformContext, shouldStopAfterTurn, getApiKey } = config;
    const { keys } = this.transcript;
    if (config.apiKey) keys.add(config.apiKey);
    if (getApiKey)
      config.getApiKey = async (provider) => {
        const key = await getApiKey(provider);
        if (key) keys.add(key);
        return key;
      };
    config.sessionId ??= this.store.id;
    config.transformContext = async (messages, signal) => {
      const whole = mended(messages);
      return forModel(transformContext ? await transformContext(whole, signal) : whole);
    };
    config.shouldStopAfterTurn = async (turn) => this._stopping || (await shouldStopAfterTurn?.(turn));
    this.part?.configure(config, everyRequest);
  }

  observe(event: AgentEvent): void {
    if (event.type === "message_end") {
      try {
        this.transcript.record(event.message);
      } catch (thrown) {
        this._storageFailed(thrown);
      }
    }
    this.part?.observe(event);
  }

  async ended(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this._stopping || this._disposed) return false;
    const goesOn = (await this.part?.ended(signal)) ?? false;
    // Before the queue is looked at again: what is sent meanwhile would stay in it.
    if (!goesOn) await this.settle();
    return goesOn;
  }

  settle(): Promise<void> {
    return this._unlessGivenUp(this.recorder.flush());
  }

  idle(): void {
    try {
      if (this._stale) void this._reload();
      else this.part?.idle();
    } catch (thrown) {
      this.warn("The session could not be looked at after the run.", thrown);
    }
  }

  // --- What the store and other sessions on it tell

  heard(message: unknown): void {
    this.outbox
      .hear(message as Handed)
      .catch((thrown) => this.warn("A message could not be handed on.", thrown));
  }

  ownerChanged(): void {
    void this._checkRole();
  }

  private _told(event: StoreEvent): void {
    if (event.type === "changed") void this.follow();
    else if (event.type === "heard") this.heard(event.message);
    else if (event.type === "role") void this._checkRole();
    else if (event.type === "gone") {
      this._stop(new AgentError("storage_gone", "The session was removed."));
      this.events.emit({ type: "gone" });
    } else if (event.type === "asked") {
      // The run ends with its turn, which is what the other page waits for.
      this._stopping = true;
      event.until(this.agent.waitForIdle().then(() => this.recorder.flush()));
    } else this._storageFailed(event.error);
  }

  private _storedUpTo(lastSeq: number): void {
    this._lastSeq = Math.max(this._lastSeq, lastSeq);
    for (const other of ownersOf(this.store)) if (other !== this) other.follow();
    // What had to wait for it, as nothing could be stored.
    this.outbox.look();
    if (!this.agent.state.isStreaming) void this._reload();
  }

  private _storageFailed(thrown: unknown): void {
    const code = storeCode(thrown);
    const { unsaved } = this.recorder;
    const error = new AgentError(`storage_${code}`, `The session could not be stored: ${textOf(thrown)}`, {
      cause: thrown,
    });
    if (code === "fenced" || ENDS.has(code)) this._stop(error);
    else if (code === "quota") this._stopping = true;
    this.events.emit({ type: "storage_error", error, unsaved });
  }

  /** The run ends now: what it still says could not be kept. */
  private _stop(error: AgentError): void {
    this._stopping = true;
    this.recorder.paused = true;
    this.part?.abort();
    this.agent.abort(error);
    if (error.code === "storage_fenced") void this._checkRole(true);
    else this._ended ??= error;
  }

  // --- Opening and following

  private async _open(before: Promise<void> | undefined): Promise<void> {
    await before;
    try {
      await Promise.all([this.store.open(), readyForSessions()]);
      const adopt = async () => this._adopt(await this._read());
      await adopt().catch((thrown) => {
        if (storeCode(thrown) !== "corrupt") throw thrown;
        this._plain = true;
        return adopt();
      });
    } catch (thrown) {
      if (thrown instanceof AgentError) throw thrown;
      const text = `The session could not be opened: ${textOf(thrown)}`;
      throw new AgentError(`storage_${storeCode(thrown)}`, text, { cause: thrown });
    }
  }

  private _read(known?: SessionTree): Promise<Stored> {
    const { branch, agent: _agent, store: _store, findModel: _find, ...rest } = this.options;
    const since = known && { tree: known, lastSeq: this._lastSeq };
    return readStore(this.store, branch, rest, since, this._plain);
  }

  private _take({ tree, lastSeq, name }: Stored): void {
    // Reactive frameworks put no proxy before what cannot be extended, and it has private members.
    this._tree = Object.preventExtensions(tree);
    this._lastSeq = lastSeq;
    this._name = name;
  }

  private async _adopt(stored: Stored): Promise<void> {
    const { tree, isNew } = stored;
    this._take(stored);
    this.role = this._wantedRole();
    this.recorder.paused = this.role === "mirror";
    if (isNew) this.recorder.begin(tree.getHeader());
    const restored = await this._restore(isNew);
    this.restored = restored;
    this.events.emit({ type: "ready", restored });
  }

  private async _restore(isNew: boolean): Promise<Restored> {
    const { tree, agent } = this;
    const isEmpty = tree.count === 0;
    const { model, thinkingLevel } = isEmpty ? tree.buildSessionContext() : this.transcript.install();
    const known = model && (await this._find(model.provider, model.modelId));
    const reports = this._plain ? [{ code: "damaged_pack" }, ...tree.reports] : tree.reports;
    if (known) agent.state.model = known;
    if (tree.has("thinking_level_change")) agent.state.thinkingLevel = thinkingLevel as ThinkingLevel;
    return { isNew, model, modelFound: Boolean(known), thinkingLevel, reports };
  }

  /** A list of models that cannot be had must not keep the conversation away. */
  private async _find(provider: string, modelId: string): Promise<Model | undefined> {
    try {
      return await this.options.findModel?.(provider, modelId);
    } catch (thrown) {
      this.warn("findModel has thrown; the agent keeps its model.", thrown);
      return undefined;
    }
  }

  private _wantedRole(): StoreRole {
    return this.store.role === "writer" && isOwner(this.store, this) ? "writer" : "mirror";
  }

  /** Reads again what another page has written. Hints that come meanwhile are one. */
  follow(): Promise<void> {
    if (this._stale) return this._following;
    this._stale = true;
    return this.agent.state.isStreaming ? this._following : this._reload();
  }

  private _reload(): Promise<void> {
    return this._next(() => this._readAgain(this.role === "writer"));
  }

  /** @param whole what is here may have gaps: other pages have written in between */
  private async _readAgain(whole = false): Promise<void> {
    if (!this._stale || this._disposed || !this._tree) return;
    this._stale = false;
    if (this.role === "writer") {
      // Nobody else writes but a name. What is here alone must not be lost for it.
      await this.recorder.flush();
      this._stale = this.recorder.unsaved > 0;
      if (this._stale) return;
    }
    try {
      const { count } = this.recorder;
      const stored = await this._read(whole || this.recorder.unsaved > 0 ? undefined : this._tree);
      // What was done here meanwhile is not in it.
      if (this.role === "writer" && count !== this.recorder.count) return void this.follow();
      if (stored.isNew) this.recorder.begin(this.tree.getHeader());
      // Removed meanwhile, which the store tells: what is here may be the last copy.
      const isEmpty = stored.isNew || stored.tree.count === 0;
      if (isEmpty && this.tree.count > 0) return;
      this._take(stored);
      // Other messages that the application has given the agent count from the next run on.
      if (this.role === "mirror" || this.transcript.isInstalled) this.transcript.install();
      this.events.emit({ type: "changed" });
      this.outbox.look();
    } catch (thrown) {
      this._storageFailed(thrown);
    }
  }

  /** Follows the store step by step, once the session is open. */
  private _next(step: () => Promise<void>): Promise<void> {
    this._following = this._following.then(() => this.ready.catch(() => {})).then(step);
    return this._following;
  }

  /** @param fenced a commit was refused, whatever the store says its role is */
  private _checkRole(fenced = false): Promise<void> {
    return this._next(async () => {
      if (!this._tree || this._disposed) return;
      const role = fenced ? "mirror" : this._wantedRole();
      if (role === this.role) return;
      this._stale = true;
      if (role === "mirror") {
        this.role = role;
        this.recorder.paused = true;
        this.part?.abort();
        this.agent.abort(new AgentBusyError(MIRROR));
        // A run that is being stopped still has the messages; see idle().
        if (!this.agent.state.isStreaming) await this._readAgain(true);
      } else {
        // What could not be stored when this page lost the session becomes a branch of its own.
        const header = await this.store.header().catch(() => null);
        this.recorder.forgetTip(header !== undefined);
        this.recorder.paused = false;
        await this.recorder.flush();
        await this._readAgain(true);
        this.role = role;
      }
      this.events.emit({ type: "role", role });
      this.outbox.look();
    });
  }
}
