import type { Endpoint } from "../brains/endpoint/endpoint.js";
import { checked, forget, remember, remembered, whereRemembered } from "../brains/endpoint/settings.js";
import { button, h } from "../dom.js";
import { announce } from "./announcer.js";

/** Well-known addresses to choose from. */
const addresses = [
  "https://api.openai.com/v1",
  "https://openrouter.ai/api/v1",
  "http://localhost:11434/v1",
  "http://localhost:1234/v1",
  "http://localhost:8080/v1",
];

/** Base URL, model and key of the user's own endpoint. */
export class EndpointSettingsView {
  readonly element: HTMLElement;
  private readonly baseUrl = h("input", {
    type: "url",
    name: "base-url",
    required: true,
    list: "addresses",
    autocomplete: "off",
  });
  private readonly model = h("input", {
    name: "model",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly key = h("input", { type: "password", name: "key", autocomplete: "off" });
  private readonly keep = h("input", { type: "checkbox", name: "remember" });
  private readonly status = h("p", { class: "ready", hidden: true });
  private readonly forget = button("Forget", {}, () => this.onForget());

  /** @param onReady called when the endpoint can be used */
  constructor(
    private readonly brain: Endpoint,
    private readonly onReady: () => void,
  ) {
    const form = h(
      "form",
      { "aria-label": "Endpoint", novalidate: true },
      h("label", {}, "Base URL", this.baseUrl),
      h("datalist", { id: "addresses" }, ...addresses.map((value) => h("option", { value }))),
      h("label", {}, "Model", this.model),
      h("label", {}, "API key, if it wants one", this.key),
      h("label", { class: "check" }, this.keep, `Remember all three in ${whereRemembered}`),
      h("p", { class: "hint" }, "Otherwise the key stays in memory and is gone when this page closes."),
      h(
        "div",
        { class: "row" },
        h("button", { type: "submit", class: "primary" }, "Use this endpoint"),
        this.forget,
      ),
      this.status,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.use();
    });
    this.element = h("div", { class: "settings" }, form);
    this.fill();
  }

  private fill(): void {
    const known = remembered();
    this.forget.hidden = known === undefined;
    if (!known) return;
    this.baseUrl.value = known.baseUrl;
    this.model.value = known.model;
    this.key.value = known.key;
    this.keep.checked = true;
    this.brain.configure(known);
  }

  private use(): void {
    try {
      const settings = checked({ baseUrl: this.baseUrl.value, model: this.model.value, key: this.key.value });
      this.baseUrl.value = settings.baseUrl;
      this.brain.configure(settings);
      if (this.keep.checked) remember(settings);
      else forget();
      this.forget.hidden = !this.keep.checked;
      this.say(`Ready: ${settings.model} at ${new URL(settings.baseUrl).host}.`, true);
      this.onReady();
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), false);
    }
  }

  private onForget(): void {
    forget();
    this.key.value = "";
    this.brain.forgetKey();
    this.keep.checked = false;
    this.forget.hidden = true;
    this.key.focus();
    this.say("Forgotten, here and in the storage of this browser.", true);
  }

  private say(text: string, good: boolean): void {
    this.status.textContent = text;
    this.status.className = good ? "ready" : "problem";
    this.status.hidden = false;
    announce(text);
  }
}
