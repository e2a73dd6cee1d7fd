import { button, h } from "../dom.js";

/** Writes a message anew, in its place. Enter sends, Esc gives up. */
export class MessageEditor {
  readonly element: HTMLFormElement;
  private readonly box: HTMLTextAreaElement;

  /**
   * @param text what the message says
   * @param send called with the new text
   * @param cancel called when the message stays as it is
   */
  constructor(
    text: string,
    private readonly send: (text: string) => void,
    private readonly cancel: () => void,
  ) {
    this.box = h("textarea", { "aria-label": "Your message", "aria-describedby": "editor-hint", rows: 2 });
    this.box.value = text;
    this.element = h(
      "form",
      { class: "editor", "aria-label": "Edit your message" },
      this.box,
      h(
        "div",
        { class: "composer-row" },
        h(
          "p",
          { id: "editor-hint", class: "hint" },
          "It is answered anew. What follows now stays, as another version.",
        ),
        button("Cancel", {}, cancel),
        h("button", { type: "submit", class: "primary" }, "Send"),
      ),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  focus(): void {
    this.box.focus();
    this.box.setSelectionRange(this.box.value.length, this.box.value.length);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.preventDefault();
      this.cancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    }
  }

  private submit(): void {
    const text = this.box.value.trim();
    if (text !== "") this.send(text);
  }
}
