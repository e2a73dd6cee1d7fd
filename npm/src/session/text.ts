/** Reading session files: their lines, and when to let others have their turn. */
import { SessionError } from "./call.js";
import { type Opened, Reader } from "./reader.js";
import type { SessionHeader, SessionSources } from "./types.js";
import { ReaderV4 } from "./v4.js";

/** A longer line is refused. In bytes. */
const LONGEST_LINE = 64 << 20;
/** The header has to stand within the first characters. */
const HEADER_WITHIN = 1 << 20;
/** So many lines are read before the clock is looked at. */
const CHECK_EVERY = 16;

/** A file that is read in pieces. */
export class TextReader {
  readonly #sources: Required<SessionSources>;
  #reader: Reader | ReaderV4 | undefined;
  /** The beginning of a line that goes on in the next piece. */
  #begun: string[] = [];
  #length = 0;
  #number = 0;

  constructor(sources: Required<SessionSources>) {
    this.#sources = sources;
  }

  /** How many entries were read. */
  get count(): number {
    return this.#reader?.count ?? 0;
  }

  /** Reads on in a piece until a time (of `performance.now`); gives where it stopped. */
  take(piece: string, from: number, until: number): number {
    let at = from;
    for (let count = 1; at < piece.length; count++) {
      const end = piece.indexOf("\n", at);
      const next = end < 0 ? piece.length : end + 1;
      this.#begun.push(piece.slice(at, end < 0 ? next : end));
      this.#length += next - at;
      if (this.#length > (this.#reader ? LONGEST_LINE : HEADER_WITHIN))
        throw this.#reader
          ? new SessionError("line_too_long", this.#number + 1)
          : new SessionError("not_a_session");
      at = next;
      if (end < 0) return at;
      this.#line();
      if (count % CHECK_EVERY === 0 && performance.now() > until) return at;
    }
    return at;
  }

  /** The file is over. Gives what has read it. `offset`: where the last line begins, in bytes. */
  end(offset: () => number): { end(): Opened } {
    if (this.#length > 0) this.#line(offset);
    if (!this.#reader) throw new SessionError("empty");
    return this.#reader;
  }

  /** There will be no session. */
  stop(): void {
    this.#reader?.stop();
  }

  /** The length of the line that is not over yet. */
  rest(): number {
    return utf8Length(this.#begun.join(""));
  }

  #line(offset?: () => number): void {
    let line = this.#begun.length === 1 ? (this.#begun[0] ?? "") : this.#begun.join("");
    if (line.endsWith("\r")) line = line.slice(0, -1);
    this.#number++;
    if (this.#number === 1 && line.startsWith("\ufeff")) line = line.slice(1);
    if (line.length * 3 > LONGEST_LINE && utf8Length(line) > LONGEST_LINE)
      throw new SessionError("line_too_long", this.#number);
    if (!this.#reader) this.#header(line, offset === undefined);
    else if (this.#reader instanceof ReaderV4) this.#reader.line(line, this.#number, offset);
    else this.#entry(this.#reader, line, offset);
    this.#begun = [];
    this.#length = 0;
  }

  #header(line: string, ended: boolean): void {
    if (line.trim() === "") return;
    let header: SessionHeader & { v?: unknown; kind?: unknown };
    try {
      header = JSON.parse(line);
    } catch {
      throw new SessionError("not_a_session");
    }
    if (header?.v !== 4 || header.kind !== "header") this.#reader = new Reader(header, this.#sources, line);
    else if (ended) this.#reader = new ReaderV4(header, this.#sources);
    else throw new SessionError("corrupt", 1);
  }

  #entry(reader: Reader, line: string, offset?: () => number): void {
    if (line === "") return;
    const number = this.#number;
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      if (line.trim() === "") return;
      if (offset) return reader.report({ code: "truncated_tail", line: number, offset: offset() });
    }
    reader.add(entry, line, number);
  }
}

const encoder = new TextEncoder();
const STEP = 1 << 16;

/** How many bytes a text takes in UTF-8. */
export function utf8Length(text: string): number {
  const buffer = new Uint8Array((Math.min(text.length, STEP) + 1) * 3);
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    let end = at + STEP;
    if (isHalf(text, end - 1)) end++;
    bytes += encoder.encodeInto(text.slice(at, end), buffer).written;
    at = end;
  }
  return bytes;
}

/** Whether the first half of a surrogate pair stands there. */
export function isHalf(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}
