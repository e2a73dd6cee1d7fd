/** Arguments of one tool call while they stream in: applies the edits of a batch to the live object. */
import { put } from "../put.js";
import type { JsonObject, JsonValue } from "../types.js";
import { KIND } from "./engine.js";

type Container = { [key: string]: JsonValue } | JsonValue[];

/** The cursor of {@link KIND}'s argument edits in one object, which grows in place. */
export class ArgumentsView {
  readonly #root: JsonObject;
  /** The open containers, outermost first. */
  readonly #open: Container[] = [];
  #key = "";
  /** Where the string that began last stands. */
  #holder: Container | undefined;
  #slot: string | number = "";

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Apply one edit. */
  apply(kind: number, text: string): void {
    switch (kind) {
      case KIND.KEY:
        this.#key = text;
        return;
      case KIND.APPEND:
        this.#append(text);
        return;
      case KIND.STRING:
        this.#put(text);
        return;
      case KIND.OPEN_OBJECT:
        if (this.#open.length === 0) this.#open.push(this.#root);
        else this.#enter({});
        return;
      case KIND.OPEN_ARRAY:
        this.#enter([]);
        return;
      case KIND.CLOSE:
        this.#open.pop();
        return;
      case KIND.NUMBER:
        this.#put(Number(text));
        return;
      case KIND.TRUE:
      case KIND.FALSE:
        this.#put(kind === KIND.TRUE);
        return;
      case KIND.NULL:
        this.#put(null);
    }
  }

  #enter(container: Container): void {
    this.#put(container);
    this.#open.push(container);
  }

  #append(text: string): void {
    const holder = this.#holder;
    if (holder === undefined) return;
    if (Array.isArray(holder)) (holder[this.#slot as number] as string) += text;
    else (holder[this.#slot] as string) += text;
  }

  #put(value: JsonValue): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    this.#holder = container;
    if (Array.isArray(container)) {
      this.#slot = container.push(value) - 1;
      return;
    }
    this.#slot = this.#key;
    // As a plain assignment this name would set the prototype.
    if (this.#key === "__proto__") {
      put(container, this.#key, value);
    } else {
      container[this.#key] = value;
    }
  }
}
