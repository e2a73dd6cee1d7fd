import type { AgentEventWithApprovals, AgentMessage, AssistantMessage } from "steersman";
import type { SessionEntry } from "steersman/session";
import { byId, button, h } from "../dom.js";
import { announce } from "./announcer.js";
import { AssistantView } from "./assistant-view.js";
import { Follower } from "./follow.js";
import { MessageEditor } from "./message-editor.js";
import { messageTools, type Versions } from "./message-tools.js";
import { isDrawn, otherView, type Piece, toolResults, userView, wordsOf } from "./pieces.js";
import { ToolCard } from "./tool-card.js";

/** Entries that are drawn at first, and added each time that more are asked for. */
const page = 200;

/** What the transcript has to ask others. */
export interface TranscriptContext {
  /** The name for people of a tool. */
  toolLabel(name: string): string | undefined;
  /** The name for people of a model. */
  speaker(provider: string): string;
  /** How a user message got into the run, if not as its prompt. */
  origin(message: AgentMessage): "steering" | "follow-up" | undefined;
  /** The user has decided about a call that needs approval. */
  decide(requestId: string, allowed: boolean): void;
  /** Whether calls that have no result may be under way in another tab. */
  elsewhere(): boolean;
  /** The entry that keeps a message, once there is one. */
  entryOf(message: AgentMessage): string | undefined;
  versions(entry: string): Versions | undefined;
  showVersion(entry: string, step: -1 | 1): void;
  /** What was said in a message, as it was written. */
  textOf(entry: string): string;
  /** Has a message answered in another wording. */
  edit(entry: string, text: string): void;
  /** Has a message answered again, from its first answer on. */
  again(entry: string): void;
  /** Has the last answer given again. */
  retry(): void;
}

/** The conversation: drawn from the agent's events as it happens, and from stored entries. */
export class Transcript {
  private readonly log = byId("conversation");
  private readonly follower = new Follower(this.log, byId<HTMLButtonElement>("jump"));
  private readonly cards = new Map<string, ToolCard>();
  private readonly earlier = button("Show earlier messages", { class: "earlier" }, () => this.showEarlier());
  private pieces: Piece[] = [];
  private branch: readonly SessionEntry[] = [];
  private shown = page;
  private answer: AssistantView | undefined;

  constructor(private readonly context: TranscriptContext) {}

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  /** Empties the conversation; `empty` is shown until the first message. */
  clear(empty: HTMLElement): void {
    this.cards.clear();
    this.pieces = [];
    this.branch = [];
    this.shown = page;
    this.answer = undefined;
    this.log.replaceChildren(empty);
  }

  /** Shows a branch, oldest entry first. What is drawn already stays. */
  show(branch: readonly SessionEntry[]): void {
    this.log.querySelector(".opening")?.remove();
    this.branch = branch;
    const drawn = branch.filter(isDrawn);
    const entries = drawn.slice(-this.shown);
    this.name();
    const same = this.pieces.findIndex(({ entry }, place) => entry !== entries[place]?.id);
    const kept = same < 0 ? this.pieces.length : same;
    for (const { element } of this.pieces.splice(kept)) element.remove();
    for (const entry of entries.slice(kept)) this.restore(entry);
    for (const [id, card] of this.cards) if (!card.element.isConnected) this.cards.delete(id);
    for (const result of toolResults(branch))
      this.cards.get(result.toolCallId)?.restore(result, result.isError, result.durationMs);
    if (drawn.length > entries.length) this.log.prepend(this.earlier);
    else this.earlier.remove();
    this.finish();
    this.follower.grown();
  }

  /** Brings names and tools of messages up to date: nothing is in progress. */
  finish(): void {
    this.name();
    const elsewhere = this.context.elsewhere();
    for (const card of this.cards.values()) elsewhere ? card.leave() : card.drop();
    let first: string | undefined;
    this.pieces.forEach((piece, place) => {
      if (piece.kind === "user") first = undefined;
      else if (piece.kind === "answer") first ??= piece.entry;
      const next = this.pieces[place + 1]?.kind;
      this.equip(piece, next === "answer" ? undefined : first);
    });
    this.follower.grown();
  }

  /** Whether messages can be edited and answered again. */
  setLocked(locked: boolean): void {
    this.log.toggleAttribute("data-locked", locked);
  }

  /** Something the user has to know that is not part of the conversation. */
  notice(text: string): void {
    this.append(h("p", { class: "failure" }, text));
    announce(text);
  }

  /** Something that goes on at the end of the conversation. */
  append(element: HTMLElement): void {
    this.log.querySelector(".empty")?.remove();
    this.log.append(element);
    this.follower.grown();
  }

  /** Goes to where something is. */
  reveal(entry: string): void {
    const found = this.pieces.find((piece) => piece.entry === entry)?.element;
    found?.scrollIntoView({ block: "center" });
  }

  /** The button that steps through the versions of a message, after it was used. */
  focusVersion(entry: string, step: -1 | 1): void {
    const tools = this.pieces.find((piece) => piece.entry === entry)?.tools;
    tools?.querySelector<HTMLElement>(`[data-step="${step}"]`)?.focus();
    this.reveal(entry);
  }

  apply(event: AgentEventWithApprovals): void {
    switch (event.type) {
      case "agent_start":
        // What failed before can no longer be tried again: the conversation goes on from here.
        for (const retry of this.log.querySelectorAll(".failure button")) retry.remove();
        break;
      case "message_start":
        if (event.message.role === "user") this.addUser(event.message, this.context.origin(event.message));
        else if (event.message.role === "assistant") this.answer = this.addAnswer(event.message.provider);
        break;
      case "message_update":
        this.answer?.apply(event.assistantMessageEvent);
        break;
      case "message_end": {
        const { message } = event;
        const last = this.pieces.at(-1);
        if (last?.kind === (message.role === "assistant" ? "answer" : message.role)) last.message = message;
        if (message.role === "assistant") this.answer?.end(message, () => this.context.retry());
        break;
      }
      case "tool_execution_start":
        this.card(event.toolCallId, event.toolName).run(event.args);
        break;
      case "tool_approval_request": {
        const { id } = event;
        this.card(event.toolCallId, event.toolName).ask((allowed) => this.context.decide(id, allowed));
        break;
      }
      case "tool_execution_update":
        this.card(event.toolCallId, event.toolName).update(event.partialResult);
        break;
      case "tool_execution_end":
        this.card(event.toolCallId, event.toolName).end(event.result, event.isError, event.durationMs);
        break;
    }
    this.follower.grown();
  }

  /** The card of a call. There is one as soon as the call is known to the page. */
  private card(id: string, name: string): ToolCard {
    const known = this.cards.get(id);
    if (known) return known;
    const card = new ToolCard(name, this.context.toolLabel(name));
    this.cards.set(id, card);
    return card;
  }

  private add(piece: Piece): void {
    this.append(piece.element);
    this.pieces.push(piece);
    if (piece.kind === "user") this.follower.toEnd();
  }

  private addUser(message: AgentMessage, origin?: string): void {
    this.add({ kind: "user", element: userView(wordsOf(message), origin), message });
  }

  private addAnswer(provider: string): AssistantView {
    const view = new AssistantView(this.context.speaker(provider), (id, name) => this.card(id, name));
    this.add({ kind: "answer", element: view.element });
    return view;
  }

  /** Draws what was stored. */
  private restore(entry: SessionEntry): void {
    const { message } = entry as { message?: AgentMessage };
    if (entry.type !== "message" || !message) this.add({ kind: "other", element: otherView(entry) });
    else if (message.role === "user") this.addUser(message);
    else if (message.role === "assistant") {
      const answer = message as AssistantMessage;
      this.addAnswer(answer.provider).draw(
        answer,
        entry === this.branch.at(-1) ? () => this.context.retry() : undefined,
      );
    } else this.add({ kind: "other", element: otherView(entry) });
    const piece = this.pieces.at(-1);
    if (piece) piece.entry = entry.id;
  }

  /** Messages that were drawn as they came get the ids of their entries. */
  private name(): void {
    for (const piece of this.pieces) piece.entry ??= piece.message && this.context.entryOf(piece.message);
  }

  /** @param first the first answer to what was said, at its last one */
  private equip(piece: Piece, first: string | undefined): void {
    const { entry } = piece;
    piece.tools?.remove();
    if (entry === undefined || piece.kind === "other") return;
    piece.tools = messageTools({
      versions: this.context.versions(entry),
      onVersion: (step) => this.context.showVersion(entry, step),
      text: piece.kind === "answer" ? this.context.textOf(entry) : undefined,
      onEdit: piece.kind === "user" ? () => this.edit(piece, entry) : undefined,
      onAgain: piece.kind === "answer" && first !== undefined ? () => this.context.again(first) : undefined,
    });
    if (piece.tools) piece.element.append(piece.tools);
  }

  private edit(piece: Piece, entry: string): void {
    const { element } = piece;
    const said = element.querySelector(".said")?.textContent ?? "";
    const close = () => {
      editor.element.remove();
      element.removeAttribute("data-editing");
    };
    const editor = new MessageEditor(
      said,
      (text) => {
        close();
        this.context.edit(entry, text);
      },
      () => {
        close();
        element.querySelector<HTMLElement>(".edit")?.focus();
      },
    );
    element.setAttribute("data-editing", "");
    element.append(editor.element);
    editor.focus();
  }

  private showEarlier(): void {
    const { scrollHeight, scrollTop } = this.log;
    const first = this.pieces[0]?.element;
    this.shown += page;
    for (const { element } of this.pieces.splice(0)) element.remove();
    this.show(this.branch);
    this.log.scrollTop = scrollTop + this.log.scrollHeight - scrollHeight;
    if (first) this.log.focus();
  }
}
