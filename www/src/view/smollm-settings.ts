import type { SmolLm } from "../brains/smollm/smollm.js";
import {
  findWeights,
  forgetWeights,
  type WeightsSource,
  weightsMegabytes,
} from "../brains/smollm/weights.js";
import { button, h } from "../dom.js";
import { announce } from "./announcer.js";

const sources: Record<WeightsSource, string> = {
  local: `${weightsMegabytes} MB from this server`,
  kept: "kept in this browser",
  hub: `${weightsMegabytes} MB from huggingface.co`,
};

/** Loading of the model in the page, which begins only when the user asks for it. */
export class SmolLmSettings {
  readonly element = h("div", { class: "settings" });
  private looked = false;

  /** @param onReady called when the model can answer */
  constructor(
    private readonly brain: SmolLm,
    private readonly onReady: () => void,
  ) {}

  /** Looks where the weights are, the first time it is shown. */
  show(): void {
    if (this.looked) return;
    this.looked = true;
    this.element.replaceChildren(h("p", { class: "hint" }, "Looking for the weights …"));
    void this.offer();
  }

  private async offer(problem?: string): Promise<void> {
    const source = await findWeights();
    const load = button(`Load the model (${sources[source]})`, { class: "primary", id: "load-model" }, () => {
      void this.load(source);
    });
    const forget = button("Delete the kept weights", { class: "quiet" }, () => {
      void forgetWeights().then(() => this.offer());
    });
    this.element.replaceChildren(
      ...(problem === undefined ? [] : [h("p", { class: "problem" }, problem)]),
      load,
      ...(source === "kept" ? [forget] : []),
      h(
        "p",
        { class: "hint" },
        "It then runs on this device; what you write goes nowhere. Chrome and Edge are known to work.",
      ),
    );
  }

  private async load(source: WeightsSource): Promise<void> {
    const stop = new AbortController();
    const step = h("p", { id: "load-step" });
    const bar = h("progress", { "aria-labelledby": "load-step" });
    const cancel = button("Cancel", {}, () => stop.abort());
    this.element.replaceChildren(step, bar, cancel);
    cancel.focus();
    let said = "";
    const onProgress = (what: string, done: number, total: number) => {
      if (what !== said) announce(`${what} …`);
      said = what;
      step.textContent = total > 0 ? `${what}: ${Math.floor((100 * done) / total)} %` : `${what} …`;
      if (total > 0) [bar.max, bar.value] = [total, done];
      else bar.removeAttribute("value");
    };
    try {
      await this.brain.load(source, onProgress, stop.signal);
    } catch (error) {
      const problem = stop.signal.aborted ? "Loading was cancelled." : text(error);
      announce(problem);
      return this.offer(problem);
    }
    this.element.replaceChildren(h("p", { class: "ready" }, "Loaded and ready."));
    announce("The model is ready.");
    this.onReady();
  }
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
