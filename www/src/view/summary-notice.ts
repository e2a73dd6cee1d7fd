import type { CompactionEntry } from "steersman/session";
import { button, h } from "../dom.js";
import { Prose } from "./prose.js";

/** Where older messages were summarised: nothing is gone, but the model reads the summary in their place. */
export function summaryNotice({ summary, tokensBefore }: CompactionEntry): HTMLElement {
  return folded(
    "Older messages were summarised",
    tokensBefore > 0 ? `at ${tokensBefore.toLocaleString("en")} tokens` : "",
    "The model now reads this in place of them. For you they are all still here.",
    summary,
  );
}

/** A branch that was left, in a few words for the model. */
export const branchNotice = (summary: string): HTMLElement =>
  folded("Summary of another version", "", "The model reads this about the version that was left.", summary);

function folded(title: string, note: string, explanation: string, summary: string): HTMLElement {
  const prose = new Prose();
  prose.write(summary);
  prose.end();
  return h(
    "details",
    { class: "summary-notice" },
    h("summary", {}, h("strong", {}, title), note !== "" && h("span", { class: "summary-note" }, note)),
    h("p", { class: "hint" }, explanation),
    prose.element,
  );
}

/** A summary that is being written. */
export class SummaryProgress {
  private readonly prose = new Prose();
  private readonly status = h("span", {}, "Summarising older messages …");
  readonly element: HTMLElement;

  /** @param cancel gives it up */
  constructor(cancel: () => void) {
    this.element = h(
      "section",
      { class: "summary-notice running", "aria-label": "Summary in progress" },
      h("div", { class: "summary-head" }, this.status, button("Cancel", {}, cancel)),
      h("progress", { "aria-label": "Summarising" }),
      h("details", {}, h("summary", {}, "What is written"), this.prose.element),
    );
  }

  write(delta: string): void {
    this.prose.write(delta);
  }

  say(text: string): void {
    this.status.textContent = text;
  }
}
