import type { Receipt } from "steersman";
import { button, byId, h } from "../dom.js";

/** What the composer asks for. */
export interface ComposerActions {
  /** @returns whether the text was taken; otherwise it stays in the box */
  send(text: string): boolean;
  steer(text: string): Receipt;
  followUp(text: string): Receipt;
  /** Gives a message to the tab that writes; resolves when it is stored, or could not be. */
  hand(text: string): Promise<unknown>;
  stop(): void;
  clearQueue(): void;
}

const hints = {
  idle: "Enter sends, Shift+Enter begins a new line.",
  running: "Enter steers, Ctrl+Enter follows up, Esc stops.",
  following: "Enter sends it to the tab that writes.",
  readOnly: "This conversation is only followed here.",
};

/** Keyboards on a screen have no Shift+Enter: there Enter begins a new line, and the buttons send. */
const touchHints = {
  ...hints,
  idle: "",
  running: "Steer goes in after this turn, Follow up at the end.",
  following: "It is sent to the tab that writes.",
};

/** Whether the page is touched, not pointed at. */
const touched = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

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
  private readonly clear = button(
    "Clear",
    { class: "quiet", "aria-label": "Clear the waiting messages" },
    () => {
      this.actions.clearQueue();
      this.focus();
    },
  );
  private running = false;
  private following = false;

  constructor(private readonly actions: ComposerActions) {
    this.queuePanel = h("div", { class: "queue", hidden: true }, this.queued, this.clear);
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

  /** Whether something can be sent, here or by the tab that writes. What is in the box stays. */
  setWritable(writable: boolean, following: boolean): void {
    const open = writable || following;
    this.following = following;
    this.clear.hidden = following;
    this.box.readOnly = !open;
    this.primary.disabled = !open;
    this.box.placeholder = open ? "Ask something" : "";
    this.status(undefined);
  }

  /** Replaces the hint for a while; `undefined` brings it back. */
  status(text: string | undefined): void {
    const way = this.box.readOnly
      ? "readOnly"
      : this.following
        ? "following"
        : this.running
          ? "running"
          : "idle";
    this.hint.textContent = text ?? (touched() ? touchHints : hints)[way];
  }

  /** Puts the cursor into the box, except where that would bring up a keyboard on the screen. */
  focus(): void {
    if (matchMedia("(hover: hover)").matches) this.box.focus();
  }

  private key(event: KeyboardEvent): void {
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    const control = event.ctrlKey || event.metaKey;
    if (touched() && !control) return;
    event.preventDefault();
    if (this.running && control) this.queue("Follow-up");
    else this.submit();
  }

  private submit(): void {
    if (this.box.readOnly) return;
    if (this.following) this.queue("Sending");
    else if (this.running) this.queue("Steer");
    else if (this.text !== "" && this.actions.send(this.text)) this.box.value = "";
  }

  private queue(kind: "Steer" | "Follow-up" | "Sending"): void {
    const { text } = this;
    if (text === "") return this.focus();
    this.box.value = "";
    const settled =
      kind === "Sending"
        ? this.actions.hand(text)
        : (kind === "Steer" ? this.actions.steer(text) : this.actions.followUp(text)).settled;
    const item = h("li", {}, h("b", {}, kind), " ", text);
    this.queued.append(item);
    this.queuePanel.hidden = false;
    void settled.then(() => {
      item.remove();
      this.queuePanel.hidden = this.queued.childElementCount === 0;
    });
    this.focus();
  }

  private get text(): string {
    return this.box.value.trim();
  }
}
