import type { Receipt } from "steersman";
import { button, byId, h } from "../dom.js";

/** What the composer asks for. */
export interface ComposerActions {
  /** @returns whether the text was taken; otherwise it stays in the box */
  send(text: string): boolean;
  steer(text: string): Receipt;
  followUp(text: string): Receipt;
  stop(): void;
  clearQueue(): void;
}

const hints = {
  idle: "Enter sends, Shift+Enter begins a new line.",
  running: "Enter steers, Ctrl+Enter follows up, Esc stops.",
  readOnly: "This conversation is only followed here.",
};

/** The message box, what can be done with a run in progress, and the messages that wait for their turn. */
export class Composer {
  private readonly form = byId<HTMLFormElement>("composer");
  private readonly box = h("textarea", {
    id: "message",
    rows: 2,
    placeholder: "Ask something",
    "aria-describedby": "hint",
  });
  private readonly hint = h("p", { id: "hint", class: "hint" });
  private readonly primary = h("button", { type: "submit", class: "primary" });
  private readonly followUp = button("Follow up", {}, () => this.queue("Follow-up"));
  private readonly stop = button("Stop", { class: "stop" }, () => this.actions.stop());
  private readonly queued = h("ul", { "aria-label": "Messages that wait for their turn" });
  private readonly queuePanel: HTMLElement;
  private running = false;

  constructor(private readonly actions: ComposerActions) {
    this.queuePanel = h(
      "div",
      { class: "queue", hidden: true },
      this.queued,
      button("Clear", { class: "quiet", "aria-label": "Clear the waiting messages" }, () => {
        this.actions.clearQueue();
        this.focus();
      }),
    );
    this.form.append(
      this.queuePanel,
      h("label", { for: "message", class: "visually-hidden" }, "Message to the agent"),
      this.box,
      h("div", { class: "composer-row" }, this.hint, this.stop, this.followUp, this.primary),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.running && !event.defaultPrevented) this.actions.stop();
    });
    this.setRunning(false);
  }

  setRunning(running: boolean): void {
    const lostFocus = !running && [this.stop, this.followUp].some((item) => item === document.activeElement);
    this.running = running;
    this.primary.textContent = running ? "Steer" : "Send";
    this.stop.hidden = this.followUp.hidden = !running;
    this.status(undefined);
    if (lostFocus) this.focus();
  }

  /** Whether something can be sent. What is in the box stays. */
  setWritable(writable: boolean): void {
    this.box.readOnly = !writable;
    this.primary.disabled = !writable;
    this.box.placeholder = writable ? "Ask something" : "";
    this.status(undefined);
  }

  /** Replaces the hint for a while; `undefined` brings it back. */
  status(text: string | undefined): void {
    const usual = this.box.readOnly ? hints.readOnly : this.running ? hints.running : hints.idle;
    this.hint.textContent = text ?? usual;
  }

  /** Puts the cursor into the box, except where that would bring up a keyboard on the screen. */
  focus(): void {
    if (matchMedia("(hover: hover)").matches) this.box.focus();
  }

  private key(event: KeyboardEvent): void {
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    event.preventDefault();
    if (this.running && (event.ctrlKey || event.metaKey)) this.queue("Follow-up");
    else this.submit();
  }

  private submit(): void {
    if (this.box.readOnly) return;
    if (this.running) this.queue("Steer");
    else if (this.text !== "" && this.actions.send(this.text)) this.box.value = "";
  }

  private queue(kind: "Steer" | "Follow-up"): void {
    const { text } = this;
    if (text === "") return this.focus();
    this.box.value = "";
    const receipt = kind === "Steer" ? this.actions.steer(text) : this.actions.followUp(text);
    const item = h("li", {}, h("b", {}, kind), " ", text);
    this.queued.append(item);
    this.queuePanel.hidden = false;
    void receipt.settled.then(() => {
      item.remove();
      this.queuePanel.hidden = this.queued.childElementCount === 0;
    });
    this.focus();
  }

  private get text(): string {
    return this.box.value.trim();
  }
}
