import { button, h } from "../dom.js";
import { announce } from "./announcer.js";

/** Where a message stands among its versions. */
export interface Versions {
  /** From 0. */
  index: number;
  count: number;
}

/** What can be done with a message. What is missing is not offered. */
export interface MessageToolsOptions {
  versions?: Versions | undefined;
  /** Shows the version before (-1) or after (1) this one. */
  onVersion(step: -1 | 1): void;
  /** What is copied. */
  text?: string | undefined;
  onEdit?: (() => void) | undefined;
  onAgain?: (() => void) | undefined;
}

/** The row below a message: its versions, copying, editing, answering again. `undefined` where there is nothing to offer. */
export function messageTools(options: MessageToolsOptions): HTMLElement | undefined {
  const { versions, text, onEdit, onAgain } = options;
  const several = versions && versions.count > 1;
  if (!several && !text && !onEdit && !onAgain) return undefined;
  return h(
    "div",
    { class: "message-tools" },
    several && switcher(versions, options.onVersion),
    Boolean(text) && copier(text as string),
    onEdit && button("Edit", { class: "quiet edit" }, onEdit),
    onAgain && button("Answer again", { class: "quiet again" }, onAgain),
  );
}

/** Copies a text as it was written, and says whether it did. */
function copier(text: string): HTMLElement {
  const element = button("Copy", { class: "quiet copy" }, async () => {
    let outcome = "Copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      outcome = "Not allowed here";
    }
    element.textContent = outcome;
    announce(outcome);
    setTimeout(() => {
      element.textContent = "Copy";
    }, 2000);
  });
  return element;
}

function switcher({ index, count }: Versions, onVersion: (step: -1 | 1) => void): HTMLElement {
  const step = (label: string, sign: string, by: -1 | 1) => {
    const end = by < 0 ? index === 0 : index === count - 1;
    // Not `disabled`: the focus stays where it is at the first and the last version.
    const attributes = { class: "quiet step", "aria-label": label, "data-step": by, "aria-disabled": end };
    return button(sign, attributes, () => !end && onVersion(by));
  };
  return h(
    "div",
    { class: "versions", role: "group", "aria-label": "Versions" },
    step("Previous version", "‹", -1),
    h("span", {}, `${index + 1} of ${count}`),
    step("Next version", "›", 1),
  );
}
