import { h, TextWriter } from "../dom.js";
import { Inline } from "./inline.js";

/** Beginnings of lines that may still become a list item, a heading, a fence or a blank line. */
const undecided = /^\s{0,8}([-*+]|\d{1,3}[.)]?|#{1,6}|`{1,2})?\s?$/;
/** The same inside a fence, where only another fence matters. */
const undecidedCode = /^\s{0,3}`{0,2}$/;

/**
 * Renders streamed text as it comes: paragraphs, lists, headings and fenced code. Only ever appends, and looks at each
 * character once; the start of a line is held back until it is clear what the line is. What a model writes stays text:
 * no links, no markup.
 */
export class Prose {
  readonly element = h("div", { class: "prose" });
  private line: "start" | "rest" | "ignored" = "start";
  private held = "";
  private block: Inline | undefined;
  private list: HTMLElement | undefined;
  private fence: TextWriter | undefined;
  private code = "";

  write(text: string): void {
    for (const character of text) this.take(character);
    this.flush();
  }

  /** The text is complete: shows what was held back. */
  end(): void {
    if (this.line === "start" && this.held !== "") this.beginLine();
    this.flush();
    this.block?.end();
  }

  private take(character: string): void {
    if (character === "\n") {
      if (this.line === "start" && this.held !== "") this.beginLine();
      this.endLine();
    } else if (this.line === "start") {
      this.held += character;
      if (!(this.fence ? undecidedCode : undecided).test(this.held)) this.beginLine();
    } else if (this.line === "rest") {
      this.put(character);
    }
  }

  /** The held characters tell what this line is. */
  private beginLine(): void {
    const { held } = this;
    this.held = "";
    if (!this.fence && held.trim() === "") return;
    this.line = "rest";
    if (/^\s*```/.test(held)) return this.toggleFence();
    let text = held;
    if (!this.fence) {
      const item = /^\s*(?:[-*+]|(\d{1,3})[.)])\s+/.exec(held);
      const heading = /^\s*#{1,6}\s+/.exec(held);
      text = held.slice((item ?? heading)?.[0].length ?? 0);
      if (item) this.openItem(item[1]);
      else if (heading) this.open(h("p", { class: "heading" }));
      else if (this.block) this.put("\n");
      else this.open(h("p"));
    }
    for (const character of text) this.put(character);
  }

  private endLine(): void {
    if (this.fence) {
      if (this.line !== "ignored") this.code += "\n";
    } else if (this.line === "start" || this.block?.element.className === "heading") {
      this.close();
    }
    this.line = "start";
  }

  /** What follows in the line, the name of a language for example, is not shown. */
  private toggleFence(): void {
    this.line = "ignored";
    this.flush();
    if (this.fence) {
      this.fence = undefined;
      return;
    }
    this.close();
    const code = h("code");
    this.element.append(h("pre", {}, code));
    this.list = undefined;
    this.fence = new TextWriter(code);
  }

  private openItem(number: string | undefined): void {
    this.close();
    const tag = number === undefined ? "ul" : "ol";
    if (this.list?.localName !== tag) {
      this.list = h(tag, { start: number });
      this.element.append(this.list);
    }
    const item = h("li");
    this.list.append(item);
    this.block = new Inline(item);
  }

  private open(element: HTMLElement): void {
    this.close();
    this.list = undefined;
    this.element.append(element);
    this.block = new Inline(element);
  }

  private close(): void {
    this.block?.end();
    this.block = undefined;
  }

  private put(character: string): void {
    if (this.fence) this.code += character;
    else this.block?.take(character);
  }

  private flush(): void {
    if (this.code !== "") this.fence?.write(this.code);
    this.code = "";
    this.block?.flush();
  }
}
