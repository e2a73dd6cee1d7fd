/** A session as a tree of entries. Synchronous, in memory; a store keeps what it is given. */
import { dropSession, isAlive, keepSession, type SessionKey } from "../engine/session.js";
import type { AgentMessage, AssistantMessage, Message, Usage } from "../types.js";
import { call, jsonOf, randomId, uuid } from "./call.js";
import { EntryList } from "./entry-list.js";
import { type ExportOptions, linesOfV4 } from "./export-as.js";
import { given } from "./given.js";
import { readEntries, readText, withIds } from "./import.js";
import { expand, messageOutline } from "./outline.js";
import type { Opened } from "./reader.js";
import { type ReadOptions, readEntriesAsync, readTextAsync, type SessionSource } from "./slices.js";
import type {
  BesideTree,
  ContextSize,
  ImportReport,
  NewSessionOptions,
  SessionContent,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionMessageEntry,
  SessionSources,
  SessionTreeNode,
  SummaryExtras,
} from "./types.js";

/**
 * A session: a header and entries, each after another one, and the leaf, which the next entry follows. Nothing changes
 * or removes an entry; moving the leaf back begins another branch.
 *
 * The engine must be loaded (`await init()`, or the default entry `steersman`). Methods throw `SessionError` when they
 * refuse, and nothing has changed then.
 */
export class SessionTree {
  readonly #sources: Required<SessionSources>;
  #key: SessionKey;
  readonly #header: SessionHeader;
  readonly #entries: EntryList;
  readonly #places: Map<string, number>;
  /** Lines of the file this was read from, the header's first: numbers and escapes are written again as they were. */
  readonly #lines: readonly (string | undefined)[];
  #leaf: number | null;
  /** What was not as it should be in the file this was read from. */
  readonly reports: readonly ImportReport[];
  /** Of a file of version 4: what stands beside the tree. */
  readonly beside?: BesideTree;

  private constructor(opened: Opened, sources: Required<SessionSources>) {
    this.#sources = sources;
    this.#key = keepSession(this, opened.key);
    this.#header = opened.header;
    const { entries } = opened;
    this.#entries = entries instanceof EntryList ? entries : new EntryList(entries);
    this.#leaf = opened.leaf;
    this.#places = opened.places ?? new Map(this.#entries.all().map(({ id }, place) => [id, place]));
    this.#lines = opened.lines ?? [];
    this.reports = opened.reports ?? [];
    if (opened.values) this.beside = { values: opened.values, usage: opened.usage ?? [] };
  }

  /** A session without entries. */
  static create(options: NewSessionOptions = {}): SessionTree {
    const sources = sourcesOf(options);
    const { id = uuid(), cwd = "/project", parentSession } = options;
    const request = { op: "create", id, cwd, parentSession, now: sources.now() };
    return new SessionTree(call<Opened>(undefined, request), sources);
  }

  /**
   * A session of a header and entries that were stored, the leaf at the last one. The entries are kept, not copied: they
   * must not be changed any more.
   */
  static from(header: SessionHeader, entries: Iterable<SessionEntry>, options?: SessionSources): SessionTree {
    const from = sourcesOf(options);
    return new SessionTree(readEntries(header, entries, from), from);
  }

  /** As `from`, in slices of some milliseconds, between which the page has its turn. @throws AgentError `aborted` */
  static async fromAsync(
    header: SessionHeader,
    entries: Iterable<SessionEntry> | AsyncIterable<SessionEntry>,
    options: ReadOptions = {},
  ): Promise<SessionTree> {
    const from = sourcesOf(options);
    return new SessionTree(await readEntriesAsync(header, entries, options, from), from);
  }

  /**
   * Reads a session file of pi, of any version. What is damaged is skipped or mended and told in `reports`.
   *
   * @throws SessionError `empty`, `not_a_session`, `line_too_long`; of version 4 also `corrupt`
   */
  static import(text: string, options?: SessionSources): SessionTree {
    const from = sourcesOf(options);
    return new SessionTree(readText(given(text, "text", "string"), from), from);
  }

  /**
   * As `import`, in slices of some milliseconds, between which the page has its turn.
   *
   * @throws SessionError as `import`; AgentError `aborted`; what the source throws
   */
  static async importAsync(source: SessionSource, options: ReadOptions = {}): Promise<SessionTree> {
    const from = sourcesOf(options);
    return new SessionTree(await readTextAsync(source, options, from), from);
  }

  /** Reads a row of the `sessions` store of pi's web-ui. */
  static importWebUi(row: unknown, options: NewSessionOptions = {}): SessionTree {
    const from = sourcesOf(options);
    const { cwd = "/project" } = options;
    const request = { op: "webUi", cwd, row, now: from.now() };
    const open = (ids: string[]) => call<Opened>(undefined, { ...request, ids });
    return new SessionTree(withIds(from, open), from);
  }

  /** The id of the session. */
  getSessionId(): string {
    return this.#header.id;
  }

  /** The header, line 1 of a file. */
  getHeader(): SessionHeader {
    return this.#header;
  }

  /** All entries, in the order they were added. */
  getEntries(): readonly SessionEntry[] {
    return this.#entries.all();
  }

  /** @internal How many entries there are. */
  get count(): number {
    return this.#entries.length;
  }

  /** An entry. */
  getEntry(id: string): SessionEntry | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#entries.at(place);
  }

  /** The id of the leaf. `null`: the next entry is a root. */
  getLeafId(): string | null {
    return this.#leaf === null ? null : (this.#entries.at(this.#leaf)?.id ?? null);
  }

  /** The entries from the root to an entry, or to the leaf. */
  getBranch(from?: string | null): SessionEntry[] {
    return this.at(expand(this.#ask<number[]>({ op: "path", leaf: from })));
  }

  /** @internal The last entry of the branch of the leaf that is looked for. What is before it is not touched. */
  findLast(wanted: (entry: SessionEntry) => boolean): SessionEntry | undefined {
    for (const place of expand(this.#ask<number[]>({ op: "path" })).reverse()) {
      const entry = this.#entries.at(place);
      if (entry && wanted(entry)) return entry;
    }
    return undefined;
  }

  /** @internal Whether the branch of the leaf has an entry of a type. */
  has(type: string): boolean {
    return this.#ask({ op: "has", type });
  }

  /** The entries right after an entry; with `null` the roots. */
  getChildren(of: string | null): SessionEntry[] {
    return this.at(expand(this.#ask<number[]>({ op: "children", of })));
  }

  /** All entries as a forest; children by time. */
  getTree(): SessionTreeNode[] {
    const labels = this.getLabels();
    const roots: SessionTreeNode[] = [];
    const open: SessionTreeNode[] = [];
    const entries = this.#entries.all();
    const runs = this.#ask<number[]>({ op: "tree" });
    for (let at = 0; at < runs.length; at += 3) {
      const [first = 0, count = 0, top = 0] = runs.slice(at, at + 3);
      for (let offset = 0; offset < count; offset++) {
        const entry = entries[first + offset] as SessionEntry;
        const label = labels[entry.id];
        const node: SessionTreeNode = { entry, children: [], ...(label === undefined ? {} : { label }) };
        const depth = top + offset;
        (depth === 0 ? roots : (open[depth - 1]?.children ?? roots)).push(node);
        open[depth] = node;
      }
    }
    return roots;
  }

  /** The labels of now, by id of the entry. */
  getLabels(): Record<string, string> {
    return this.#ask({ op: "labels" });
  }

  /** The newest name given on any branch. */
  getSessionName(): string | undefined {
    return this.#ask<string | null>({ op: "sessionName" }) ?? undefined;
  }

  /** What the model sees of the branch of an entry, or of the leaf. */
  buildSessionContext(leaf?: string | null): SessionContext {
    const { made, entries, sources, model, thinkingLevel } = this.#ask<{
      made: [place: number, message: AgentMessage | [content: never]][];
      entries: number[];
      sources: number[];
      model: SessionContext["model"];
      thinkingLevel: string;
    }>({ op: "context", leaf });
    const from = this.at(expand(sources));
    const messages = from.map((entry) => (entry as SessionMessageEntry).message);
    for (const [place, message] of made) {
      const own = messages[place] as AgentMessage;
      messages[place] = Array.isArray(message) ? ({ ...own, content: message[0] } as AgentMessage) : message;
    }
    return { messages, entries: this.at(expand(entries)), sources: from, model, thinkingLevel };
  }

  /** How large that context is. What was counted before a compaction or a context edit is not trusted. */
  contextSize(leaf?: string | null): ContextSize {
    return this.#ask({ op: "size", leaf });
  }

  /** Adds a message. @throws SessionError `pending_message`: the answer is still arriving */
  appendMessage(message: AgentMessage): string {
    const own = copyOf(given(message, "message"));
    const outline = messageOutline(own);
    const pending = outline && (own as { stopReason?: unknown }).stopReason === "pending";
    const told = pending ? { ...outline, stopReason: "pending" } : (outline ?? own);
    return this.#append({ op: "message", message: told }, { message: own });
  }

  /** Another model from here on. */
  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ op: "model", provider, modelId });
  }

  /** Another thinking level from here on. */
  appendThinkingLevelChange(level: string): string {
    return this.#append({ op: "thinking", level });
  }

  /** State of the application, which the model never sees. */
  appendCustomEntry(customType: string, data?: unknown): string {
    const own = copyOf(data);
    return this.#append({ op: "custom", customType }, own === undefined ? {} : { data: own });
  }

  /** A message of the application to the model. `details` stay with the application. */
  appendCustomMessageEntry(
    customType: string,
    content: SessionContent,
    display: boolean,
    details?: unknown,
  ): string {
    return this.#append({ op: "customMessage", customType, content, display, details });
  }

  /** Names the session; a blank name takes the name away. */
  appendSessionInfo(name: string): string {
    return this.#append({ op: "name", name });
  }

  /** Labels an entry; without a label it is taken away. */
  appendLabelChange(target: string, label?: string): string {
    return this.#append({ op: "label", target, label });
  }

  /** What something beside the conversation cost. */
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): string {
    return this.#append({ op: "usage", kind, provider, model, usage, note });
  }

  /** A summary in place of everything before an entry; without one nothing is kept. */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | undefined,
    tokensBefore: number,
    extras: SummaryExtras = {},
  ): string {
    return this.#append({ ...extras, op: "compaction", summary, firstKeptEntryId, tokensBefore });
  }

  /**
   * Hides an entry of the branch from the model (`null`), or gives it another content.
   *
   * @throws SessionError `unknown_entry`, `not_on_branch`, `not_editable`, `malformed`
   */
  appendContextEdit(target: string, replacement: null | { content: SessionContent }): string {
    return this.#append({ op: "edit", target, replacement });
  }

  /** Moves the leaf; the next entry begins another branch there. */
  branch(to: string): void {
    this.#leaf = this.#ask({ op: "branch", to: String(to) });
  }

  /** The next entry becomes a further root. */
  resetLeaf(): void {
    this.#leaf = this.#ask({ op: "branch", to: null });
  }

  /** Goes on from an entry (`null`: from nothing) with a summary of the branch that is left. */
  branchWithSummary(to: string | null, summary: string, extras: SummaryExtras = {}): string {
    return this.#append({ ...extras, op: "branchSummary", to: to === null ? to : String(to), summary });
  }

  /** A new session of one branch: the path to an entry, and its labels. This one is not changed. */
  createBranchedSession(leaf: string, options: NewSessionOptions = {}): SessionTree {
    const { id = uuid(), parentSession = this.getSessionId() } = given(options, "options");
    const now = this.#sources.now();
    const request = { op: "branched", leaf, id, parentSession, now };
    const made = withIds(
      this.#sources,
      (ids) =>
        this.#ask<Omit<Opened, "entries"> & { entries: (number | SessionEntry)[] }>({ ...request, ids }),
      Object.keys(this.getLabels()).length,
    );
    let parentId: string | null = null;
    const entries = made.entries.map((told) => {
      const entry: SessionEntry =
        typeof told === "number" ? { ...(this.#entries.at(told) as SessionEntry), parentId } : told;
      parentId = entry.id;
      return entry;
    });
    return new SessionTree({ ...made, entries }, this.#sources);
  }

  /** A copy under another id, with the same entries. */
  fork(id: string = uuid()): SessionTree {
    const made = this.#ask<Opened>({ op: "forked", id, now: this.#sources.now() });
    const lines = this.#lines.length > 0 ? [undefined, ...this.#lines.slice(1)] : [];
    return new SessionTree({ ...made, entries: [...this.#entries.all()], lines }, this.#sources);
  }

  /**
   * The file of version 3, which pi opens too. What was read undamaged gives the same bytes. pi goes on from the last entry
   * of a file: where the leaf is another one, a `custom` entry `steersman.leaf` after it is added to the file.
   *
   * @param options the branch of the leaf alone, or a file of version 4
   */
  export(options: ExportOptions = {}): string {
    let text = "";
    for (const line of this.lines(options)) text += line;
    return text;
  }

  /** @internal The lines of that file, each made when it is asked for. */
  *lines(options: ExportOptions = {}): Generator<string> {
    const { branch = false, version = 3 } = given(options, "options");
    const entries = branch ? this.getBranch() : this.#entries.all();
    if (version === 4) return yield* linesOfV4(this, entries);
    const line = (value: unknown, place: number) => `${this.#lines[place] ?? JSON.stringify(value)}\n`;
    yield line(this.#header, 0);
    for (const entry of entries) yield line(entry, (this.#places.get(entry.id) ?? 0) + 1);
    if (branch || this.#leaf === null || this.#leaf === this.#entries.length - 1) return;
    const { ids, now } = this.#sources;
    const drawn = String(ids());
    const id = this.#places.has(drawn) ? uuid() : drawn;
    const timestamp = new Date(now()).toISOString();
    const mark = { type: "custom", id, parentId: this.getLeafId(), timestamp, customType: "steersman.leaf" };
    yield line(mark, -1);
  }

  /** Forgets the session in the engine; optional. The next call brings it back. */
  dispose(): void {
    dropSession(this.#key);
    this.#key = { ...this.#key, generation: -1 };
  }

  /** @internal The entries at some places. */
  at(places: number[]): SessionEntry[] {
    return places.map((place) => this.#entries.at(place) as SessionEntry);
  }

  /** @internal A question to the engine about this session. */
  ask<T>(request: Record<string, unknown>): T {
    return this.#ask(request);
  }

  #ask<T>(request: Record<string, unknown>): T {
    for (;;) {
      if (!isAlive(this.#key)) this.#reopen();
      const answer = call<T>(this.#key, request);
      const needed = (answer as { outlines?: unknown } | null)?.outlines;
      if (!Array.isArray(needed)) return answer;
      const places = expand(needed);
      for (let from = 0; from < places.length; from += AT_ONCE) {
        const at = places.slice(from, from + AT_ONCE);
        call(this.#key, { op: "fill", at, entries: this.at(at) });
      }
    }
  }

  /** `own`: members that the engine is not told. */
  #append(request: Record<string, unknown>, own?: Record<string, unknown>): string {
    const now = this.#sources.now();
    const made = withIds(this.#sources, (ids) => this.#ask<SessionEntry>({ ...request, ids, now }));
    const entry = own ? { ...made, ...own } : made;
    const place = this.#entries.length;
    this.#entries.push(entry);
    this.#places.set(entry.id, place);
    this.#leaf = place;
    return entry.id;
  }

  /** The engine was restarted: it is told all again. */
  #reopen(): void {
    const leaf = this.getLeafId();
    const opened = readEntries(this.#header, this.#entries.all(), this.#sources);
    this.#key = keepSession(this, opened.key);
    call(this.#key, { op: "branch", to: leaf });
  }
}

/** So many entries are given to the engine at once. */
const AT_ONCE = 256;

/** A copy as JSON has it, which nobody else changes. */
function copyOf<T>(value: T): T {
  return value === undefined ? value : JSON.parse(jsonOf(value));
}

/** @throws AgentError `invalid_request`: one is no function */
export function sourcesOf(options: SessionSources = {}): Required<SessionSources> {
  const { ids = randomId, now = Date.now } = given(options, "options");
  return { ids: given(ids, "ids", "function"), now: given(now, "now", "function") };
}

/** Messages in the form of requests: summaries and messages of the application become user messages. */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  return call(undefined, { op: "forModel", messages });
}

/** The messages without answers that failed, were stopped, or are to come later. */
export function withoutFailed(messages: readonly AgentMessage[]): AgentMessage[] {
  const failed = ["error", "aborted", "deferred"];
  return given(messages, "messages", "array").filter(
    (message) => !(isAssistant(message) && failed.includes(message.stopReason)),
  );
}

function isAssistant(message: AgentMessage): message is AssistantMessage {
  return message.role === "assistant";
}
