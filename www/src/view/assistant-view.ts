import type { AssistantMessage, AssistantMessageEvent } from "steersman";
import { button, clip, h, TextWriter } from "../dom.js";
import { announce } from "./announcer.js";
import { explain } from "./explain.js";
import { Prose } from "./prose.js";
import { duration, ToolCard } from "./tool-card.js";

/** One answer, drawn from its events. Nothing is drawn twice: every delta appends to the block it belongs to. */
export class AssistantView {
  readonly element: HTMLElement;
  private readonly blocks = new Map<number, Prose | Thinking | ToolCard>();
  private readonly waiting = h("p", { class: "waiting" }, "…");

  /**
   * @param speaker whose answer this is
   * @param addCard makes the card of a call and remembers it under the call's id
   */
  constructor(
    speaker: string,
    private readonly addCard: (id: string, name: string) => ToolCard,
  ) {
    this.element = h(
      "article",
      { class: "message assistant", "aria-label": speaker },
      h("p", { class: "speaker", "aria-hidden": "true" }, speaker),
      this.waiting,
    );
  }

  apply(event: AssistantMessageEvent): void {
    switch (event.type) {
      case "text_start":
        return void this.add(event.contentIndex, new Prose());
      case "thinking_start":
        return void this.add(event.contentIndex, new Thinking());
      case "toolcall_start": {
        const call = event.partial.content[event.contentIndex];
        if (call?.type === "toolCall") this.add(event.contentIndex, this.addCard(call.id, call.name));
        return;
      }
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        return this.blocks.get(event.contentIndex)?.write(event.delta);
      case "text_end":
      case "thinking_end": {
        const block = this.blocks.get(event.contentIndex);
        if (block instanceof Prose || block instanceof Thinking) block.end();
        return;
      }
      case "toolcall_end": {
        const card = this.blocks.get(event.contentIndex);
        if (card instanceof ToolCard) card.complete(event.toolCall.arguments);
      }
    }
  }

  /** The answer is complete, failed or stopped. `retry` is offered in the latter cases. */
  end(message: AssistantMessage, retry: () => void): void {
    this.draw(message, retry);
    const { stopReason, content } = message;
    if (stopReason === "error" || stopReason === "aborted") {
      const { title, advice } = explain(message);
      return announce(`${title}. ${advice}`);
    }
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
    if (text.trim() !== "") announce(`${this.element.getAttribute("aria-label")}: ${text.trim()}`);
  }

  /** Draws an answer that was given before, or what is missing of one. */
  draw(message: AssistantMessage, retry?: () => void): void {
    this.waiting.remove();
    this.drawMissing(message);
    if (message.stopReason === "error" || message.stopReason === "aborted") this.fail(message, retry);
    if (message.stopReason === "length") {
      this.element.append(h("p", { class: "note" }, "The answer reached its length limit."));
    }
    const facts = factsOf(message);
    if (message.content.length > 0) this.element.append(h("p", { class: "facts" }, facts));
  }

  private add(index: number, block: Prose | Thinking | ToolCard): void {
    this.waiting.remove();
    this.blocks.set(index, block);
    this.element.append(block.element);
  }

  /** Blocks that came without events: a provider may send a whole answer at once. */
  private drawMissing(message: AssistantMessage): void {
    for (const [index, block] of message.content.entries()) {
      if (this.blocks.has(index)) continue;
      if (block.type === "toolCall") this.add(index, this.addCard(block.id, block.name));
      else {
        const view = block.type === "text" ? new Prose() : new Thinking();
        view.write(block.type === "text" ? block.text : block.thinking);
        view.end();
        this.add(index, view);
      }
    }
  }

  private fail(message: AssistantMessage, retry: (() => void) | undefined): void {
    for (const block of this.blocks.values()) {
      if (block instanceof ToolCard) block.drop();
      else block.end();
    }
    const { title, advice } = explain(message);
    const stopped = message.stopReason === "aborted";
    const details = stopped ? undefined : message.errorMessage;
    this.element.append(
      h(
        "div",
        { class: stopped ? "failure stopped" : "failure" },
        h("p", { class: "failure-title" }, title),
        h("p", {}, advice),
        details !== undefined && h("code", { class: "failure-details" }, clip(details, 1000)),
        retry && button("Try again", {}, retry),
      ),
    );
  }
}

/** What the model thought, folded away. */
class Thinking {
  private readonly text = h("p");
  private readonly writer = new TextWriter(this.text);
  private readonly summary = h("summary", {}, "Thinking …");
  readonly element = h("details", { class: "thinking" }, this.summary, this.text);

  write(delta: string): void {
    this.writer.write(delta);
  }

  end(): void {
    this.summary.textContent = "Thought about it";
  }
}

/** Dollars, with as many digits as small amounts need. */
const money = (dollars: number): string => `$${dollars.toPrecision(2)}`;

/** Tokens, price and time of an answer, as far as they are known. All zero means that nobody counted. */
function factsOf({ usage, durationMs, model }: AssistantMessage): string {
  const facts = [model];
  if (usage.totalTokens > 0) {
    const cached = usage.cacheRead > 0 ? ` (${usage.cacheRead} cached)` : "";
    facts.push(`${usage.input + usage.cacheRead + usage.cacheWrite} tokens in${cached}, ${usage.output} out`);
  }
  if (usage.cost.total > 0) facts.push(money(usage.cost.total));
  if (durationMs !== undefined) facts.push(duration(durationMs));
  return facts.join(" · ");
}
