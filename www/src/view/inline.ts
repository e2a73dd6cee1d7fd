import { h, TextWriter } from "../dom.js";

/** Writes the text of one block as it comes: **bold** and `code` become elements, everything else stays text. */
export class Inline {
  private pending = "";
  private bold: HTMLElement | undefined;
  private code: HTMLElement | undefined;
  /** One asterisk came and may be the first of two. */
  private star = false;
  private writer: TextWriter;

  constructor(readonly element: HTMLElement) {
    this.writer = new TextWriter(element);
  }

  take(character: string): void {
    if (this.star) {
      this.star = false;
      if (character === "*") return this.toggleBold();
      this.pending += "*";
    }
    if (character === "`") this.toggleCode();
    else if (character === "*" && !this.code) this.star = true;
    else this.pending += character;
  }

  /** Shows what has come since the last time. */
  flush(): void {
    if (this.pending !== "") this.writer.write(this.pending);
    this.pending = "";
  }

  /** Nothing more will come. */
  end(): void {
    if (this.star) this.pending += "*";
    this.star = false;
    this.flush();
  }

  private toggleBold(): void {
    this.flush();
    this.bold = this.bold ? undefined : this.add("strong");
    this.writer = new TextWriter(this.bold ?? this.element);
  }

  private toggleCode(): void {
    this.flush();
    this.code = this.code ? undefined : this.add("code");
    this.writer = new TextWriter(this.code ?? this.bold ?? this.element);
  }

  private add(tag: "strong" | "code"): HTMLElement {
    const element = h(tag);
    (this.bold ?? this.element).append(element);
    return element;
  }
}
