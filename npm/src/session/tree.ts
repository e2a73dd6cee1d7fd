/** A session as a tree of entries. Synchronous, in memory; a store keeps what it is given. */
import { dropSession, isAlive, keepSession, type SessionKey } from "../engine/session.js";
import type { AgentMessage, AssistantMessage, Message, Usage } from "../types.js";
import { call, randomId, SessionError, uuid } from "./call.js";
import type {
  BesideTree,
  ContextSize,
  ImportReport,
  NewSessionOptions,
  SessionContent,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionSources,
  SessionTreeNode,
  SummaryExtras,
} from "./types.js";

/** What the engine tells of a session that it opened. */
interface Opened extends Partial<BesideTree> {
  key: number;
  header: SessionHeader;
  entries: SessionEntry[];
  /** Its position. */
  leaf: number | null;
  reports: ImportReport[];
  /** Of version 4: the sequence number of each entry. */
  seqs?: number[];
}

/** So many ids are drawn for one entry before a whole UUID is taken. */
const MOST_DRAWS = 100;

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
  #header: SessionHeader;
  #entries: SessionEntry[];
  #places = new Map<string, number>();
  #leaf: number | null;
  /** What was not as it should be in the file this was read from. */
  readonly reports: readonly ImportReport[];
  /** Of a file of version 4: what stands beside the tree. */
  readonly beside?: BesideTree;

  private constructor(opened: Opened, sources: Required<SessionSources>) {
    this.#sources = sources;
    this.#key = keepSession(this, opened.key);
    this.#header = opened.header;
    this.#entries = opened.entries;
    this.#leaf = opened.leaf;
    opened.entries.forEach(({ id }, place) => {
      this.#places.set(id, place);
    });
    this.reports = opened.reports;
    if (opened.values) this.beside = { values: opened.values, usage: opened.usage ?? [] };
  }

  /** A session without entries. */
  static create(options: NewSessionOptions = {}): SessionTree {
    const sources = sourcesOf(options);
    const { id = uuid(), cwd = "/project", parentSession } = options;
    const request = { op: "create", id, cwd, parentSession, now: sources.now() };
    return new SessionTree(call<Opened>(undefined, request), sources);
  }

  /** A session of a header and entries that were stored, the leaf at the last one. */
  static from(
    header: SessionHeader,
    entries: readonly SessionEntry[],
    sources?: SessionSources,
  ): SessionTree {
    return SessionTree.import(linesOf(header, entries), sources);
  }

  /**
   * Reads a session file of pi, of any version. What is damaged is skipped or mended and told in `reports`.
   *
   * @throws SessionError `empty`, `not_a_session`, `line_too_long`; of version 4 also `corrupt`
   */
  static import(text: string, sources?: SessionSources): SessionTree {
    const from = sourcesOf(sources);
    const opened = withIds<Opened>(from, (ids) =>
      call(undefined, { op: "open", ids, now: from.now() }, text),
    );
    return new SessionTree(opened, from);
  }

  /** Reads a row of the `sessions` store of pi's web-ui. */
  static importWebUi(row: unknown, options: NewSessionOptions = {}): SessionTree {
    const from = sourcesOf(options);
    const { cwd = "/project" } = options;
    const text = JSON.stringify(row) ?? "null";
    const open = (ids: string[]) => call<Opened>(undefined, { op: "webUi", cwd, ids, now: from.now() }, text);
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
    return this.#entries;
  }

  /** An entry. */
  getEntry(id: string): SessionEntry | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#entries[place];
  }

  /** The id of the leaf. `null`: the next entry is a root. */
  getLeafId(): string | null {
    return this.#leaf === null ? null : (this.#entries[this.#leaf]?.id ?? null);
  }

  /** The entries from the root to an entry, or to the leaf. */
  getBranch(from?: string | null): SessionEntry[] {
    return this.#at(this.#ask<number[]>({ op: "path", leaf: from }));
  }

  /** The entries right after an entry; with `null` the roots. */
  getChildren(of: string | null): SessionEntry[] {
    return this.#at(this.#ask<number[]>({ op: "children", of }));
  }

  /** All entries as a forest; children by time. */
  getTree(): SessionTreeNode[] {
    const labels = this.getLabels();
    const roots: SessionTreeNode[] = [];
    const open: SessionTreeNode[] = [];
    for (const [place, depth] of this.#ask<[number, number][]>({ op: "tree" })) {
      const entry = this.#entries[place];
      if (!entry) continue;
      const label = labels[entry.id];
      const node: SessionTreeNode = { entry, children: [], ...(label === undefined ? {} : { label }) };
      (depth === 0 ? roots : (open[depth - 1]?.children ?? roots)).push(node);
      open[depth] = node;
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
    const { messages, entries, sources, ...rest } = this.#ask<{
      messages: (number | AgentMessage)[];
      entries: number[];
      sources: number[];
      model: SessionContext["model"];
      thinkingLevel: string;
    }>({ op: "context", leaf });
    const message = (made: number | AgentMessage) =>
      typeof made === "number" ? (this.#entries[made] as { message: AgentMessage }).message : made;
    return {
      messages: messages.map(message),
      entries: this.#at(entries),
      sources: this.#at(sources),
      ...rest,
    };
  }

  /** How large that context is. What was counted before a compaction or a context edit is not trusted. */
  contextSize(leaf?: string | null): ContextSize {
    return this.#ask({ op: "size", leaf });
  }

  /** Adds a message. @throws SessionError `pending_message`: the answer is still arriving */
  appendMessage(message: AgentMessage): string {
    return this.#append({ op: "message", message });
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
    return this.#append({ op: "custom", customType, data });
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
    return this.#append({ ...extras, op: "branchSummary", to, summary });
  }

  /** A new session of one branch: the path to an entry, and its labels. This one is not changed. */
  createBranchedSession(leaf: string, options: NewSessionOptions = {}): SessionTree {
    const { id = uuid(), parentSession = this.getSessionId() } = options;
    const now = this.#sources.now();
    const request = { op: "branched", leaf, id, parentSession, now };
    const opened = withIds(this.#sources, (ids) => this.#ask<Opened>({ ...request, ids }));
    return new SessionTree(opened, this.#sources);
  }

  /** A copy under another id, with the same entries. */
  fork(id: string = uuid()): SessionTree {
    const opened = this.#ask<Opened>({ op: "forked", id, now: this.#sources.now() });
    return new SessionTree(opened, this.#sources);
  }

  /**
   * The file of version 3, which pi opens too. What was read undamaged gives the same bytes. pi goes on from the last entry
   * of a file: where the leaf is another one, a `custom` entry `steersman.leaf` after it is added to the file.
   */
  export(): string {
    const text = this.#ask<string>({ op: "export" });
    if (this.#leaf === null || this.#leaf === this.#entries.length - 1) return text;
    const { ids, now } = this.#sources;
    const drawn = String(ids());
    const id = this.#places.has(drawn) ? uuid() : drawn;
    const timestamp = new Date(now()).toISOString();
    const mark = { type: "custom", id, parentId: this.getLeafId(), timestamp, customType: "steersman.leaf" };
    return `${text}${JSON.stringify(mark)}\n`;
  }

  /** Forgets the session in the engine; optional. The next call brings it back. */
  dispose(): void {
    dropSession(this.#key);
    this.#key = { ...this.#key, generation: -1 };
  }

  /** @internal A question to the engine about this session. */
  ask<T>(request: Record<string, unknown>): T {
    return this.#ask(request);
  }

  #ask<T>(request: Record<string, unknown>): T {
    if (!isAlive(this.#key)) this.#reopen();
    return call(this.#key, request);
  }

  #append(request: Record<string, unknown>): string {
    const now = this.#sources.now();
    const entry = withIds(this.#sources, (ids) => this.#ask<SessionEntry>({ ...request, ids, now }));
    const place = this.#entries.length;
    this.#entries.push(entry);
    this.#places.set(entry.id, place);
    this.#leaf = place;
    return entry.id;
  }

  #at(places: number[]): SessionEntry[] {
    return places.map((place) => this.#entries[place] as SessionEntry);
  }

  /** The engine was restarted: it is told all again. */
  #reopen(): void {
    const leaf = this.getLeafId();
    const text = linesOf(this.#header, this.#entries);
    const opened = call<Opened>(undefined, { op: "open", ids: [], now: 0 }, text);
    this.#key = keepSession(this, opened.key);
    call(this.#key, { op: "branch", to: leaf });
  }
}

function sourcesOf({ ids = randomId, now = Date.now }: SessionSources = {}): Required<SessionSources> {
  return { ids, now };
}

/** Tries with one id, then with more: an id may be taken, and a file may need many. */
function withIds<T>({ ids }: Required<SessionSources>, attempt: (ids: string[]) => T): T {
  let drawn = 0;
  for (let count = 1; ; count *= 2) {
    const draw = drawn < MOST_DRAWS ? ids : uuid;
    drawn += count;
    try {
      return attempt(Array.from({ length: count }, () => String(draw())));
    } catch (error) {
      if (!(error instanceof SessionError && error.code === "no_ids")) throw error;
    }
  }
}

function linesOf(header: SessionHeader, entries: readonly SessionEntry[]): string {
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Messages in the form of requests: summaries and messages of the application become user messages. */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  return call(undefined, { op: "forModel", messages });
}

/** The messages without answers that failed, were stopped, or are to come later. */
export function withoutFailed(messages: readonly AgentMessage[]): AgentMessage[] {
  const failed = ["error", "aborted", "deferred"];
  return messages.filter((message) => !(isAssistant(message) && failed.includes(message.stopReason)));
}

function isAssistant(message: AgentMessage): message is AssistantMessage {
  return message.role === "assistant";
}
