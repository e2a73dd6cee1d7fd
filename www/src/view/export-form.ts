import { button, h } from "../dom.js";

/** How a conversation is saved. */
export interface ExportChoice {
  format: "jsonl" | "html";
  /** Whether what looks like a key is replaced. */
  redact: boolean;
}

/** Asks how a conversation is to be saved. */
export function exportForm(save: (choice: ExportChoice) => void, cancel: () => void): HTMLElement {
  const choice = (value: string, label: string, checked: boolean) =>
    h(
      "label",
      { class: "check" },
      h("input", { type: "radio", name: "format", value, checked }),
      h("span", {}, label),
    );
  const redact = h("input", { type: "checkbox", name: "redact", checked: true });
  const form = h(
    "form",
    { class: "row-form settings", "aria-label": "Export" },
    h(
      "fieldset",
      {},
      h("legend", { class: "visually-hidden" }, "Format"),
      choice("jsonl", "Session file (.jsonl): can be imported here, and opens in pi", true),
      choice("html", "Page (.html): to read and to send", false),
    ),
    h("label", { class: "check" }, redact, h("span", {}, "Replace what looks like a key or a password")),
    h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "primary" }, "Save"),
      button("Cancel", {}, cancel),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const format = new FormData(form).get("format") === "html" ? "html" : "jsonl";
    save({ format, redact: redact.checked });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    cancel();
  });
  return form;
}
