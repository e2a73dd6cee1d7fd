import type { AgentMessage } from "steersman";
import type { Session, SessionEntry, SessionEvent } from "steersman/session";
import type { Chat } from "./chat.js";
import { idInAddress, nameInAddress } from "./sessions/address.js";
import { type Spent, spentOn } from "./sessions/spent.js";
import { type Library, saveTree } from "./sessions/library.js";
import { storageTrouble } from "./sessions/storage-words.js";
import { firstWords, titleOf } from "./sessions/titles.js";
import { announce } from "./view/announcer.js";
import type { Banner, BannerAction, BannerContent } from "./view/banner.js";
import type { ContextMeter } from "./view/context-meter.js";
import type { Versions } from "./view/message-tools.js";
import { summaryTrouble } from "./view/explain-summary.js";
import { wordsOf } from "./view/pieces.js";
import { SummaryProgress } from "./view/summary-notice.js";
import type { Transcript } from "./view/transcript.js";

/** What a conversation shows itself in. */
export interface ConversationViews {
  transcript: Transcript;
  banner: Banner;
  meter: ContextMeter;
  /** Another conversation is being opened: shows that, or what to begin with. */
  cleared(isNew: boolean): void;
  /** Another conversation is open, it was named, or who may write changed. */
  changed(): void;
  /** An event of the session. */
  event(event: SessionEvent): void;
  /** The user wants the last message to be answered. */
  resume(): void;
}

/** The conversation that is open, and what is to be seen of it. */
export class Conversation {
  private session: Session | undefined;
  private trouble: { code: string; unsaved: number } | undefined;
  private gone = false;
  private missing = false;
  private progress: SummaryProgress | undefined;
  private stop = () => {};
  /** Counts what was asked for: only the last one is shown. */
  private asked = 0;

  constructor(
    private readonly chat: Chat,
    private readonly library: Library,
    private readonly views: ConversationViews,
  ) {
    addEventListener("popstate", () => {
      if (idInAddress() !== this.id) void this.open(idInAddress());
    });
  }

  /** The id; `undefined` while nothing is open. */
  get id(): string | undefined {
    return this.session?.id;
  }

  /** Whether this page may add to it. */
  get writable(): boolean {
    return !this.gone && this.session?.role !== "mirror";
  }

  /** Whether another tab writes, and gets what is sent from here. */
  get following(): boolean {
    return !this.gone && this.session?.role === "mirror";
  }

  /** Whether a summary is being written. */
  get summarising(): boolean {
    return this.session?.isCompacting ?? false;
  }

  get title(): string {
    const { session } = this;
    if (!session) return titleOf({});
    return titleOf({ name: session.name || firstWords(session.tree.getEntries()) });
  }

  get spent(): Spent {
    return spentOn(this.session?.tree.getEntries() ?? []);
  }

  /** The id of the entry of a message. */
  entryOf(message: AgentMessage): string | undefined {
    return this.session?.entryOf(message)?.id;
  }

  /** What was said in a message, as it was written. */
  textOf(entry: string): string {
    const { message } = (this.session?.tree.getEntry(entry) ?? {}) as { message?: AgentMessage };
    return message ? wordsOf(message) : "";
  }

  versions(entry: string): Versions | undefined {
    if (!this.session) return undefined;
    const { entries, index } = this.session.versions(entry);
    return { index, count: entries.length };
  }

  /** Shows the version before or after that of an entry, with what followed it. */
  async showVersion(entry: string, step: -1 | 1): Promise<void> {
    const session = await this.chat.session();
    const { entries, index } = session.versions(entry);
    const { id } = entries[index + step] ?? {};
    if (id === undefined) return;
    await session.switchTo(id);
    // Messages can be worked with again.
    this.refresh();
    this.views.transcript.focusVersion(id, step);
    announce(`Version ${index + step + 1} of ${entries.length}`);
  }

  /** Opens a stored conversation, or a new one. */
  async open(id?: string): Promise<void> {
    const asked = ++this.asked;
    this.stop();
    this.session = undefined;
    this.trouble = undefined;
    this.gone = this.missing = false;
    this.dropProgress();
    const opening = this.chat.open(id);
    this.views.cleared(id === undefined);
    this.views.banner.show(undefined);
    try {
      const { session, problem } = await opening;
      if (asked !== this.asked) return;
      this.session = session;
      this.missing = id !== undefined && session.restored?.isNew === true;
      if (problem) this.trouble = { code: problem.code, unsaved: 0 };
      this.stop = session.subscribe((event) => this.tell(event));
      if (!this.missing && id !== undefined) this.show();
      else if (id !== undefined) this.views.cleared(true);
    } catch (error) {
      if (asked !== this.asked) return;
      this.views.cleared(true);
      this.views.transcript.notice(error instanceof Error ? error.message : String(error));
    }
    this.refresh();
  }

  /** A run is over: messages have entries now. */
  settled(): void {
    if (this.session?.unsaved === 0 && this.session.store.persisted) this.trouble = undefined;
    this.views.transcript.finish();
    this.refresh();
  }

  /** Gives a message to the tab that writes. */
  async hand(text: string): Promise<void> {
    const outcome = await this.session?.send(text).settled;
    if (outcome !== "delivered") this.views.transcript.notice(`“${text}” could not be sent.`);
  }

  async edit(entry: string, text: string): Promise<void> {
    await (await this.chat.session()).editAndResend(entry, text);
  }

  /** Has a message answered again from this answer on. */
  async again(entry: string): Promise<void> {
    await (await this.chat.session()).regenerate(entry);
  }

  /** Has the last answer given again, which failed or was stopped. What the tools did before it counts. */
  async retry(): Promise<void> {
    const session = await this.chat.session();
    const failed = session.tree.getBranch().findLast((entry) => roleOf(entry) === "assistant");
    if (failed?.parentId) await session.branch(failed.parentId);
    await session.continue();
  }

  async rename(name: string): Promise<void> {
    await this.session?.setName(name);
    this.refresh();
  }

  /** Summarises older messages now. Why not is said in words. */
  async summarise(instructions: string | undefined): Promise<void> {
    const { meter } = this.views;
    try {
      await this.session?.compact(instructions);
      meter.close();
    } catch (error) {
      meter.say(summaryTrouble(error));
    }
    this.refresh();
  }

  /** Stops the run, and the summary that is being written. */
  halt(): void {
    this.chat.agent.abort();
    this.session?.abortCompaction();
  }

  /** Saves what is here, stored or not. */
  async saveCopy(): Promise<void> {
    const { session } = this;
    if (session) await saveTree(session.tree, this.title, { format: "jsonl", redact: true });
  }

  private tell(event: SessionEvent): void {
    const { transcript } = this.views;
    this.views.event(event);
    switch (event.type) {
      case "entry_added":
        if (event.entry.type === "message") this.name();
        return;
      case "changed":
      case "session_tree":
        this.show();
        break;
      case "compaction_start":
        this.progress = new SummaryProgress(() => this.session?.abortCompaction());
        transcript.append(this.progress.element);
        announce("Summarising older messages.");
        break;
      case "summary_delta":
        return this.progress?.write(event.text);
      case "summary_retry_scheduled":
        this.progress?.say(`That failed (${event.error}). Trying again …`);
        break;
      case "compaction_end": {
        this.dropProgress();
        this.show();
        if (event.result) announce("Older messages were summarised.");
        else if (event.aborted) announce("The summary was cancelled. Nothing has changed.");
        // What was asked for by hand is answered where it was asked for.
        else if (event.reason !== "manual")
          transcript.notice(`Older messages could not be summarised. ${event.errorMessage ?? ""}`);
        break;
      }
      case "role":
        // What another tab has left undone is done by nobody.
        if (event.role === "writer") this.show();
        break;
      case "storage_error":
        this.trouble = { code: event.error.code, unsaved: event.unsaved };
        break;
      case "gone":
        this.gone = true;
        break;
    }
    this.refresh();
  }

  private show(): void {
    if (this.session) this.views.transcript.show(this.session.tree.getBranch());
  }

  /** Whether the last thing on the branch waits for an answer that was never given. */
  get interrupted(): boolean {
    const { session, chat } = this;
    if (!session || chat.agent.state.isStreaming || session.isBusy) return false;
    const last = session.tree.getBranch().findLast((entry) => roleOf(entry) !== undefined);
    return last !== undefined && ["user", "toolResult"].includes(roleOf(last) ?? "");
  }

  /** Goes on where a run broke off. */
  async resume(): Promise<void> {
    await (await this.chat.session()).continue();
  }

  private dropProgress(): void {
    this.progress?.element.remove();
    this.progress = undefined;
  }

  /** As soon as something was said, the address names the conversation. */
  private name(): void {
    const { session } = this;
    if (!session?.store.persisted || idInAddress() === session.id) return;
    nameInAddress(session.id, "replace");
    this.refresh();
  }

  /** Draws what is to be said about it: the banner, the context. */
  refresh(): void {
    const { session } = this;
    this.views.banner.show(this.state());
    const usage = session?.contextUsage();
    if (usage) this.views.meter.draw(usage);
    this.views.changed();
  }

  /** What is to be said about the conversation as a whole; the worst first. */
  private state(): BannerContent | undefined {
    const copy: BannerAction = { label: "Save a copy", act: () => void this.saveCopy() };
    if (this.gone) {
      return {
        kind: "bad",
        title: "This conversation was deleted in another tab",
        advice: "What you see is only here now.",
        actions: [{ label: "Keep it", act: () => void this.keep() }, copy],
      };
    }
    if (this.following) {
      return {
        kind: "info",
        title: "Open in another tab",
        advice: "You see what happens there, and what you send is answered there.",
        actions: [{ label: "Continue here", act: () => void this.takeOver() }],
      };
    }
    if (this.trouble) {
      const { code, unsaved } = this.trouble;
      return { kind: "bad", ...storageTrouble(code, unsaved), actions: [copy] };
    }
    if (this.interrupted) {
      return {
        kind: "info",
        title: "The last message was not answered",
        advice: "The page was closed or reloaded before the answer was complete.",
        actions: [{ label: "Answer it now", act: () => this.views.resume() }],
      };
    }
    if (this.missing && this.views.transcript.isEmpty) {
      return {
        kind: "info",
        title: "That conversation is not in this browser",
        advice: "It was deleted, or it is in another browser. This is a new one.",
        actions: [],
      };
    }
    return undefined;
  }

  private async takeOver(): Promise<void> {
    await this.session?.takeOver();
    announce("You can write here now.");
    this.refresh();
  }

  /** Brings back what another tab has deleted. */
  private async keep(): Promise<void> {
    if (!this.session) return;
    await this.open((await this.library.catalog.import(this.session.tree.export())).id);
  }
}

const roleOf = (entry: SessionEntry): string | undefined =>
  (entry as { message?: { role: string } }).message?.role;
