import type { AgentToolResult } from "steersman";
import { button, clip, h, TextWriter } from "../dom.js";
import { announce } from "./announcer.js";

/** Characters of arguments and results that a card shows. */
const limit = 2000;

/** What came back, of the agent or of a stored message. */
type ToolOutcome = Pick<AgentToolResult<unknown>, "content">;

type State = "writing" | "waiting" | "asking" | "running" | "elsewhere" | "done" | "failed";

const words: Record<State, string> = {
  writing: "being written",
  waiting: "waiting",
  asking: "needs your permission",
  running: "running",
  elsewhere: "in the other tab",
  done: "done",
  failed: "failed",
};

/** One tool call: what the model wrote, whether it runs, what came back. */
export class ToolCard {
  readonly element: HTMLElement;
  private readonly label: string;
  private readonly state = h("span", { class: "tool-state" });
  private readonly written = h("code", { class: "tool-arguments" });
  private readonly writer = new TextWriter(this.written);
  private readonly result = h("p", { class: "tool-result", hidden: true });
  private room = limit;
  private current: State = "writing";
  private question: HTMLElement | undefined;

  /** @param label the tool's name for people */
  constructor(name: string, label: string | undefined) {
    this.label = label ?? name;
    this.element = h(
      "section",
      { class: "tool", "aria-label": `Tool: ${this.label}` },
      h("div", { class: "tool-head" }, h("strong", {}, this.label), h("code", {}, name), this.state),
      this.written,
      this.result,
    );
    this.setState("writing");
  }

  /** A piece of the arguments, as the model writes them. */
  write(delta: string): void {
    if (this.room <= 0) return;
    this.writer.write(delta.slice(0, this.room));
    this.room -= delta.length;
    if (this.room <= 0) this.writer.write(" …");
  }

  /** The call is written. Fills in the arguments if they did not come in pieces. */
  complete(args: unknown): void {
    if (this.written.textContent === "") this.write(JSON.stringify(args) ?? "");
    // Nothing to see for a tool without arguments.
    this.written.hidden = this.written.textContent === "{}";
    this.setState("waiting");
  }

  run(args: unknown): void {
    this.complete(args);
    this.setState("running");
  }

  update(partial: AgentToolResult<unknown>): void {
    this.show(textOf(partial));
  }

  end(result: ToolOutcome, isError: boolean, durationMs: number | undefined): void {
    // Stop, or a limit, may have answered the question.
    this.closeQuestion();
    this.restore(result, isError, durationMs);
    announce(`Tool ${this.label} ${isError ? "failed" : "finished"}: ${textOf(result)}`);
  }

  /** Shows what a call came to, some time ago. */
  restore(result: ToolOutcome, isError: boolean, durationMs?: number): void {
    this.show(textOf(result));
    this.setState(isError ? "failed" : "done", durationMs);
  }

  /** The message with the call failed before the tool could run; or the tab that ran it is gone. */
  drop(): void {
    if (["writing", "waiting", "elsewhere"].includes(this.current)) this.setState("failed");
  }

  /** Another tab minds the call. */
  leave(): void {
    if (this.current === "writing") this.setState("elsewhere");
  }

  /** Asks the user whether the call may run. */
  ask(answer: (allowed: boolean) => void): void {
    const decide = (allowed: boolean) => {
      this.closeQuestion();
      this.setState(allowed ? "running" : "waiting");
      answer(allowed);
    };
    this.question = h(
      "div",
      { class: "tool-ask", role: "group", "aria-label": `May ${this.label} run?` },
      h("p", {}, "The agent wants to do this. May it?"),
      button("Allow", { class: "primary" }, () => decide(true)),
      button("Decline", {}, () => decide(false)),
    );
    this.element.append(this.question);
    this.setState("asking");
    announce(
      `${this.label} needs your permission. The buttons are in the conversation, before the message box.`,
    );
  }

  private closeQuestion(): void {
    const hadFocus = this.question?.contains(document.activeElement);
    this.question?.remove();
    this.question = undefined;
    if (hadFocus) document.getElementById("message")?.focus();
  }

  private setState(state: State, durationMs?: number): void {
    this.current = state;
    this.element.dataset.state = state;
    this.state.textContent =
      durationMs === undefined ? words[state] : `${words[state]} in ${duration(durationMs)}`;
  }

  private show(text: string): void {
    this.result.textContent = clip(text, limit);
    this.result.hidden = text === "";
  }
}

/** Milliseconds, for people. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function textOf(result: ToolOutcome): string {
  const parts = result.content.map((block) =>
    block.type === "text" ? block.text : `[image: ${block.mimeType}]`,
  );
  return parts.join("\n");
}
