import { button, byId, h } from "../dom.js";
import { announce } from "./announcer.js";

/** How full the context is. */
export interface ContextUse {
  /** Unknown right after a summary, until the next answer. */
  tokens: number | null;
  window: number;
}

/** How much of its context the model has used, and summarising by hand. */
export class ContextMeter {
  private readonly panel = byId<HTMLDetailsElement>("context");
  private readonly bar = h("span", { class: "meter-bar", "aria-hidden": "true" }, h("span"));
  private readonly words = h("span", { class: "summary-note" });
  private readonly instructions = h("input", {
    name: "instructions",
    placeholder: "Names and numbers, for example",
    autocomplete: "off",
  });
  private readonly problem = h("p", { class: "problem" });
  private readonly form: HTMLFormElement;
  private readonly submit = h("button", { type: "submit", class: "primary" }, "Summarise now");

  /** @param summarise called with the wishes of the user, if any */
  constructor(summarise: (instructions: string | undefined) => void) {
    this.form = h(
      "form",
      { class: "settings", "aria-label": "Summarise" },
      h(
        "p",
        { class: "hint" },
        "When the context gets full, older messages are summarised for the model by themselves. You can also do it now.",
      ),
      h("label", {}, "What the summary should keep, if anything special", this.instructions),
      h(
        "div",
        { class: "row" },
        this.submit,
        button("Close", { class: "quiet" }, () => this.close()),
      ),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.say(undefined);
      summarise(this.instructions.value.trim() || undefined);
    });
    this.panel.append(h("summary", {}, h("span", {}, "Context"), this.bar, this.words), this.form);
  }

  draw({ tokens, window }: ContextUse): void {
    const part = tokens !== null && window > 0 ? Math.min(1, tokens / window) : 0;
    this.words.textContent = wordsFor(tokens, window);
    (this.bar.firstElementChild as HTMLElement).style.width = `${Math.round(part * 100)}%`;
    this.bar.dataset.level = part > 0.75 ? "high" : "low";
  }

  /** Whether a summary can be asked for now. */
  setEnabled(enabled: boolean): void {
    this.submit.disabled = !enabled;
  }

  /** Says why there is no summary; `undefined` takes it away. */
  say(problem: string | undefined): void {
    this.problem.remove();
    if (problem === undefined) return;
    this.problem.textContent = problem;
    this.form.append(this.problem);
    this.panel.open = true;
    announce(problem);
  }

  /** It is done: makes room. */
  close(): void {
    const hadFocus = this.panel.contains(document.activeElement);
    this.instructions.value = "";
    this.say(undefined);
    this.panel.open = false;
    if (hadFocus) this.panel.querySelector<HTMLElement>("summary")?.focus();
  }
}

function wordsFor(tokens: number | null, window: number): string {
  if (tokens === null) return "unknown until the next answer";
  const of = window > 0 ? ` of ${window.toLocaleString("en")}` : "";
  return `${tokens.toLocaleString("en")}${of} tokens`;
}
