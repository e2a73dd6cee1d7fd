import { button, h } from "../dom.js";

/** Asks for another name. An empty one goes back to how the conversation begins. */
export function renameForm(name: string, save: (name: string) => void, cancel: () => void): HTMLElement {
  const input = h("input", {
    name: "name",
    value: name,
    maxlength: 120,
    autocomplete: "off",
    "aria-label": "Name",
  });
  const form = h(
    "form",
    { class: "row-form settings", "aria-label": "Rename" },
    input,
    h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "primary" }, "Rename"),
      button("Cancel", {}, cancel),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save(input.value.trim());
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    cancel();
  });
  return form;
}
