import type { AgentEventWithApprovals, AgentMessage, UserMessage } from "steersman";
import { byId, h } from "../dom.js";
import { announce } from "./announcer.js";
import { AssistantView } from "./assistant-view.js";
import { Follower } from "./follow.js";
import { ToolCard } from "./tool-card.js";

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
  /** Has the last answer given again. */
  retry(): void;
}

/** The conversation, drawn from the agent's events. */
export class Transcript {
  private readonly log = byId("conversation");
  private readonly follower = new Follower(this.log, byId<HTMLButtonElement>("jump"));
  private readonly cards = new Map<string, ToolCard>();
  private answer: AssistantView | undefined;

  constructor(private readonly context: TranscriptContext) {}

  /** The card of a call. There is one as soon as the call is known to the page. */
  private card(id: string, name: string): ToolCard {
    const known = this.cards.get(id);
    if (known) return known;
    const card = new ToolCard(name, this.context.toolLabel(name));
    this.cards.set(id, card);
    return card;
  }

  /** Empties the conversation; `empty` is shown until the first message. */
  clear(empty: HTMLElement): void {
    this.cards.clear();
    this.answer = undefined;
    this.log.replaceChildren(empty);
  }

  /** Something the user has to know that is not part of the conversation. */
  notice(text: string): void {
    this.add(h("p", { class: "failure" }, text));
    announce(text);
  }

  /** Takes the last answer out, because it is going to be given again. */
  removeLastAnswer(): void {
    this.answer?.element.remove();
    this.answer = undefined;
  }

  apply(event: AgentEventWithApprovals): void {
    switch (event.type) {
      case "agent_start":
        // What failed before can no longer be tried again: the conversation goes on from here.
        for (const retry of this.log.querySelectorAll(".failure button")) retry.remove();
        break;
      case "message_start":
        if (event.message.role === "user") this.add(this.user(event.message));
        else if (event.message.role === "assistant") {
          this.answer = new AssistantView(this.context.speaker(event.message.provider), (id, name) =>
            this.card(id, name),
          );
          this.add(this.answer.element);
        }
        break;
      case "message_update":
        this.answer?.apply(event.assistantMessageEvent);
        break;
      case "message_end":
        if (event.message.role === "assistant") this.answer?.end(event.message, () => this.context.retry());
        break;
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

  private add(element: HTMLElement): void {
    this.log.querySelector(".empty")?.remove();
    this.log.append(element);
    if (element.classList.contains("user")) this.follower.toEnd();
  }

  private user(message: UserMessage): HTMLElement {
    const { content } = message;
    const text =
      typeof content === "string"
        ? content
        : content.map((block) => ("text" in block ? block.text : "")).join("");
    const origin = this.context.origin(message);
    return h(
      "article",
      { class: "message user", "aria-label": "You" },
      h("p", { class: "speaker", "aria-hidden": "true" }, origin ? `You, ${origin}` : "You"),
      h("p", { class: "said" }, text),
    );
  }
}
