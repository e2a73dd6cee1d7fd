type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string | undefined | false;

/**
 * Makes an element. `false` and `undefined` leave an attribute or a child out, `true` sets an attribute without a value.
 * Text only ever becomes a text node, so nothing a model says can turn into markup.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

/** A button that calls `onClick`. */
export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", onClick);
  return element;
}

/** An element of the page by its id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element as T;
}

/**
 * Appends text to an element at constant cost per piece: a text node grows to about a kilobyte, then the next one starts,
 * so that a long answer is never copied or laid out again as a whole string.
 */
export class TextWriter {
  private node: Text | undefined;

  constructor(private readonly parent: Element) {}

  write(text: string): void {
    if (this.node && this.node.length < 1024) this.node.appendData(text);
    else this.parent.append((this.node = document.createTextNode(text)));
  }
}

/** The first `limit` characters of a text, and how many were left out. */
export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)} … (${text.length - limit} more characters)`;
}
