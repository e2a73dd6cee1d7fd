import type { Agent, RunLimits } from "steersman";
import { byId, h } from "../dom.js";
import type { Spent } from "../sessions/spent.js";

/** The limits that the panel offers; `unit` is what one of the field stands for. */
const fields: readonly { name: keyof RunLimits; label: string; unit: number }[] = [
  { name: "maxTurns", label: "Requests of a run", unit: 1 },
  { name: "maxToolCalls", label: "Tool calls of a run", unit: 1 },
  { name: "maxTokens", label: "Tokens of a run", unit: 1 },
  { name: "idleMs", label: "Seconds of silence of a response", unit: 1000 },
];

/** How far a run may go, and how far the last one went. */
export class LimitsPanel {
  private readonly note = byId("usage-note");
  private readonly run = h("td");
  private readonly total = h("td");

  /** @param conversation what the open conversation has used since it began */
  constructor(
    private readonly agent: Agent,
    private readonly conversation: () => Spent,
  ) {
    const form = h("form", { class: "settings limits" });
    for (const { name, label, unit } of fields) {
      const input = h("input", {
        type: "number",
        min: 1,
        step: 1,
        inputmode: "numeric",
        placeholder: "none",
      });
      input.addEventListener("change", () => this.limit(name, input.valueAsNumber * unit));
      form.append(h("label", {}, label, input));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("limits").append(
      h(
        "table",
        { class: "usage" },
        h("caption", { class: "visually-hidden" }, "Usage"),
        h("tr", {}, h("th", { scope: "row" }, "Last run"), this.run),
        h("tr", {}, h("th", { scope: "row" }, "Conversation"), this.total),
      ),
      form,
      h("p", { class: "hint" }, "A change counts from the next run on."),
    );
  }

  /** Draws what has been used so far. */
  draw(): void {
    const { run } = this.agent.usage;
    this.run.textContent = wordsFor(run);
    this.total.textContent = wordsFor(this.conversation());
    this.note.textContent = run.requests > 0 ? counted(run.requests, "request") : "";
  }

  private limit(name: keyof RunLimits, value: number): void {
    const { [name]: _, ...others } = this.agent.limits ?? {};
    this.agent.limits = value >= 1 ? { ...others, [name]: value } : others;
  }
}

/** What nobody has reported is not 0. */
function wordsFor({ requests, known, totalTokens, cost }: Spent): string {
  if (requests === 0) return "nothing yet";
  const words = [counted(requests, "request")];
  if (totalTokens === undefined) words.push("tokens not reported");
  else words.push(`${known ? "" : "at least "}${counted(totalTokens, "token")}`);
  if (cost) words.push(`$${cost.toFixed(4)}`);
  return words.join(", ");
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
