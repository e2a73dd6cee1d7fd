/** Reading long sessions in slices that leave the page its turn. */
import { AgentError } from "../errors.js";
import { nextTurn } from "../stream/pace.js";
import { given } from "./given.js";
import { type Opened, Reader } from "./reader.js";
import { isHalf, TextReader, utf8Length } from "./text.js";
import type { SessionHeader, SessionSources } from "./types.js";

/** Longest stretch of work without a break, in milliseconds. */
const STRETCH = 8;
/** So many entries of a list are taken before the clock is looked at. */
const CHECK_EVERY = 16;
/** A text is read in pieces of so many characters. */
const PIECE = 1 << 20;

/** Where a file comes from. */
export type SessionSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<string>;

/** How a session is read in slices. */
export interface ReadOptions extends SessionSources {
  /** Called after every slice. */
  onProgress?: (progress: ReadProgress) => void;
  /** Stops it: the promise is rejected with an `AgentError` `aborted`. */
  signal?: AbortSignal;
}

/** How far it is. */
export interface ReadProgress {
  /** Entries read. */
  entries: number;
  /** Characters of a text, bytes of anything else, entries of a list of entries. */
  read: number;
  /** All there is, where that is known. */
  total?: number;
}

/** Reads a file in slices. */
export async function readTextAsync(
  source: SessionSource,
  options: ReadOptions,
  sources: Required<SessionSources>,
): Promise<Opened> {
  const reader = new TextReader(sources);
  const turns = new Turns(options);
  const bytes = new Bytes();
  try {
    for await (const { text, read, total } of piecesOf(source, bytes)) {
      for (let at = 0; at < text.length; ) {
        at = reader.take(text, at, turns.until);
        await turns.next(() => progressOf(reader.count, read, total));
      }
    }
    const read = reader.end(() => bytes.last);
    await turns.rest();
    return read.end();
  } catch (error) {
    reader.stop();
    throw error;
  }
}

/** Takes a header and entries in slices. */
export async function readEntriesAsync(
  header: SessionHeader,
  entries: Iterable<unknown> | AsyncIterable<unknown>,
  options: ReadOptions,
  sources: Required<SessionSources>,
): Promise<Opened> {
  const list = entries as Iterable<unknown> | null;
  const iterator = list?.[Symbol.iterator];
  given(
    iterator ?? (entries as AsyncIterable<unknown>)?.[Symbol.asyncIterator],
    "the iterator of entries",
    "function",
  );
  const turns = new Turns(options);
  const reader = new Reader(header, sources);
  const total = Array.isArray(entries) ? entries.length : undefined;
  const progress = () => progressOf(reader.count, reader.count, total);
  const read = (entry: unknown) => {
    reader.add(entry);
    return reader.count % CHECK_EVERY === 0 && turns.due() ? turns.next(progress) : undefined;
  };
  try {
    // Awaiting every element of a list would take longer than reading it.
    if (iterator) {
      for (const entry of list) {
        const turn = read(entry);
        if (turn) await turn;
      }
    } else for await (const entry of entries as AsyncIterable<unknown>) await read(entry);
    await turns.rest();
    return reader.end();
  } catch (error) {
    reader.stop();
    throw error;
  }
}

function progressOf(entries: number, read: number, total: number | undefined): ReadProgress {
  return { entries, read, ...(total === undefined ? {} : { total }) };
}

/** When others have their turn. */
class Turns {
  readonly #options: ReadOptions;
  /** The end of this stretch, by `performance.now`. */
  until = performance.now() + STRETCH;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#check();
  }

  due(): boolean {
    return performance.now() > this.until;
  }

  /** Lets others have their turn when it is time. */
  async next(progress: () => ReadProgress): Promise<void> {
    if (!this.due()) return;
    this.#options.onProgress?.(progress());
    await this.rest();
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.#check();
    this.until = performance.now() + STRETCH;
  }

  #check(): void {
    if (this.#options.signal?.aborted) throw new AgentError("aborted", "Reading the session was stopped.");
  }
}

/** Where in a file the last line begins. */
class Bytes {
  #all = 0;
  /** The first half of a pair, which takes four bytes with the other one. */
  #half = "";
  last = 0;

  bytes(piece: Uint8Array): void {
    const end = piece.lastIndexOf(10);
    if (end >= 0) this.last = this.#all + end + 1;
    this.#all += piece.length;
  }

  text(piece: string): void {
    let whole = this.#half + piece;
    this.#half = isHalf(whole, whole.length - 1) ? whole.slice(-1) : "";
    if (this.#half) whole = whole.slice(0, -1);
    const end = whole.lastIndexOf("\n");
    if (end >= 0) this.last = this.#all + utf8Length(whole.slice(0, end + 1));
    this.#all += utf8Length(whole);
  }
}

interface Piece {
  text: string;
  read: number;
  total?: number;
}

async function* piecesOf(source: SessionSource, bytes: Bytes): AsyncGenerator<Piece> {
  if (typeof source === "string") {
    // Only a file that is cut needs to know.
    const cut = !source.endsWith("\n");
    for (let at = 0; at < source.length; ) {
      const text = source.slice(at, at + PIECE);
      if (cut) bytes.text(text);
      at += text.length;
      yield { text, read: at, total: source.length };
    }
  } else if (source instanceof Blob) {
    for await (const piece of decoded(source.stream(), bytes)) yield { ...piece, total: source.size };
  } else if ((source as ReadableStream | null)?.getReader) yield* decoded(source as ReadableStream, bytes);
  else {
    const pieces = source as AsyncIterable<string>;
    given(pieces?.[Symbol.asyncIterator], "the iterator of source", "function");
    let read = 0;
    for await (const text of pieces) {
      bytes.text(text);
      read += text.length;
      yield { text, read };
    }
  }
}

async function* decoded(stream: ReadableStream<Uint8Array>, bytes: Bytes): AsyncGenerator<Piece> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let read = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      for (let at = 0; at < value.length; at += PIECE) {
        const piece = value.subarray(at, at + PIECE);
        bytes.bytes(piece);
        read += piece.length;
        yield { text: decoder.decode(piece, { stream: true }), read };
      }
    }
    yield { text: decoder.decode(), read };
  } finally {
    await reader.cancel().catch(() => {});
  }
}
