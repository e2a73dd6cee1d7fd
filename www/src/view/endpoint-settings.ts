import type { Endpoint } from "../brains/endpoint/endpoint.js";
import { custom, modelNames, providerOf, providers } from "../brains/endpoint/providers.js";
import { checked, forget, remember, remembered, whereRemembered } from "../brains/endpoint/settings.js";
import { button, h } from "../dom.js";
import { announce } from "./announcer.js";

/** Provider, base URL, model and key of the user's own endpoint. */
export class EndpointSettingsView {
  readonly element: HTMLElement;
  private readonly provider = h(
    "select",
    { name: "provider" },
    ...providers.map(({ id, name }) => h("option", { value: id }, name)),
  );
  private readonly baseUrl = h("input", {
    type: "url",
    name: "base-url",
    required: true,
    autocomplete: "off",
  });
  private readonly models = h("datalist", { id: "models" });
  private readonly model = h("input", {
    name: "model",
    required: true,
    list: "models",
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
      h("label", {}, "Provider", this.provider),
      h("label", {}, "Base URL", this.baseUrl),
      h("label", {}, "API key, if it wants one", this.key),
      h("label", {}, "Model", this.model),
      this.models,
      h(
        "div",
        { class: "row" },
        button("List the models", {}, () => void this.listModels()),
      ),
      h("label", { class: "check" }, this.keep, `Remember all of it in ${whereRemembered}`),
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
      void this.use();
    });
    this.provider.addEventListener("change", () => this.onProvider());
    this.element = h("div", { class: "settings" }, form);
    this.fill();
  }

  private fill(): void {
    const known = remembered();
    this.forget.hidden = known === undefined;
    if (!known) return;
    this.provider.value = providerOf(known.provider).id;
    this.baseUrl.value = known.baseUrl;
    this.model.value = known.model;
    this.key.value = known.key;
    this.keep.checked = true;
    void this.brain.configure(known);
  }

  /** Another provider: its address and models, and never the key of the one before. */
  private onProvider(): void {
    const provider = providerOf(this.provider.value);
    this.baseUrl.value = provider.baseUrl;
    this.model.value = "";
    this.key.value = "";
    this.models.replaceChildren();
    if (provider === custom) this.baseUrl.focus();
    if (provider.inCatalogue) void this.listModels();
  }

  /** Fills the list of the model field. */
  private async listModels(): Promise<void> {
    const provider = providerOf(this.provider.value);
    try {
      const names = await modelNames(provider, this.baseUrl.value.trim(), this.key.value.trim());
      if (provider !== providerOf(this.provider.value)) return;
      this.models.replaceChildren(...names.map((value) => h("option", { value })));
      this.say(`${names.length} models to choose from.`, true);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), false);
    }
  }

  private async use(): Promise<void> {
    try {
      const settings = checked({
        provider: this.provider.value,
        baseUrl: this.baseUrl.value,
        model: this.model.value,
        key: this.key.value,
      });
      this.baseUrl.value = settings.baseUrl;
      await this.brain.configure(settings);
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
