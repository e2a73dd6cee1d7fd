/** Sessions from files and entries. */
import { SessionError, uuid } from "./call.js";
import { given } from "./given.js";
import { type Opened, Reader } from "./reader.js";
import { TextReader, utf8Length } from "./text.js";
import type { SessionHeader, SessionSources } from "./types.js";

/** So many ids are drawn for one entry before a whole UUID is taken. */
const MOST_DRAWS = 100;

/** Tries with as many ids as should do, then with more: an id may be taken. */
export function withIds<T>({ ids }: Required<SessionSources>, attempt: (ids: string[]) => T, needed = 1): T {
  let drawn = 0;
  for (let count = needed || 1; ; count *= 2) {
    const draw = drawn < MOST_DRAWS ? ids : uuid;
    drawn += count;
    try {
      return attempt(Array.from({ length: count }, () => String(draw())));
    } catch (error) {
      if (!(error instanceof SessionError && error.code === "no_ids")) throw error;
    }
  }
}

/** Reads a file. */
export function readText(text: string, sources: Required<SessionSources>): Opened {
  const reader = new TextReader(sources);
  return stopping(reader, () => {
    reader.take(text, 0, Number.POSITIVE_INFINITY);
    return reader.end(() => utf8Length(text) - reader.rest()).end();
  });
}

/** Takes a header and entries. */
export function readEntries(
  header: SessionHeader,
  entries: Iterable<unknown>,
  sources: Required<SessionSources>,
): Opened {
  given(entries?.[Symbol.iterator], "the iterator of entries", "function");
  const reader = new Reader(header, sources);
  return stopping(reader, () => {
    for (const entry of entries) reader.add(entry);
    return reader.end();
  });
}

function stopping<T>(reader: { stop(): void }, read: () => T): T {
  try {
    return read();
  } catch (error) {
    reader.stop();
    throw error;
  }
}
