import type { Brain } from "../brains/brain.js";
import { byId, h } from "../dom.js";

/** A brain with the settings it needs. `show` is called whenever they come into view. */
export interface BrainChoice {
  brain: Brain;
  settings?: { element: HTMLElement; show?(): void };
}

/** There is room for the panels beside the conversation (see layout.css). */
const wide = matchMedia("(min-width: 60rem)");

/** The choice of the brain that answers. */
export class BrainPanel {
  private readonly panel = byId<HTMLDetailsElement>("brain-panel");
  private readonly name = byId("brain-name");
  private readonly choices = h(
    "fieldset",
    { class: "brains" },
    h("legend", { class: "visually-hidden" }, "Which brain answers"),
  );
  private readonly settings = h("div");

  /** @param onChoose called with the brain that the user has chosen */
  constructor(
    private readonly all: readonly BrainChoice[],
    private readonly onChoose: (brain: Brain) => void,
  ) {
    for (const { brain } of all) {
      const input = h("input", {
        type: "radio",
        name: "brain",
        value: brain.id,
        id: `brain-${brain.id}`,
        "aria-describedby": `about-${brain.id}`,
      });
      input.addEventListener("change", () => this.choose(brain));
      this.choices.append(
        h(
          "div",
          { class: "brain" },
          input,
          h("label", { for: input.id }, brain.name),
          h("p", { id: `about-${brain.id}` }, brain.about),
        ),
      );
    }
    byId("brains").append(this.choices, this.settings);
    // Where there is room beside the conversation, the panel is open from the start.
    this.panel.open = wide.matches;
  }

  choose(brain: Brain): void {
    const input = this.choices.querySelector<HTMLInputElement>(`input[value="${brain.id}"]`);
    if (input) input.checked = true;
    this.name.textContent = brain.name;
    const { settings } = this.all.find((choice) => choice.brain === brain) ?? {};
    this.settings.replaceChildren(...(settings ? [settings.element] : []));
    settings?.show?.();
    this.onChoose(brain);
  }

  /** Opens the panel at what is still to be done. */
  insist(): void {
    this.panel.open = true;
    this.settings.querySelector<HTMLElement>("button, input")?.focus();
  }

  /** The brain cannot be changed during a run. */
  setRunning(running: boolean): void {
    this.choices.disabled = running;
    // Where the panel lies above the conversation, it makes room for it.
    if (running && !wide.matches) this.panel.open = false;
  }
}
