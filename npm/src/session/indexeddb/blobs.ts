/** Long texts and images of entries are kept beside them, so that a list of entries stays small. */
import { uuid } from "../call.js";
import type { SessionEntry, SessionHeader } from "../types.js";
import type { StoreWrite } from "../store.js";

/** A text with more characters becomes a blob. */
const LONGEST = 64 * 1024;

/** Where a blob belongs in an entry. */
export type Path = (string | number)[];

/** An entry without its long texts. */
export interface Lightened {
  entry: SessionEntry;
  paths: Path[];
  blobs: { sha256: string; blob: Blob }[];
}

interface Holder {
  [key: string | number]: unknown;
}

/** Takes the long texts of the entries out. The entries are ours and are changed. */
export async function lighten(writes: readonly StoreWrite[]): Promise<Map<StoreWrite, Lightened>> {
  const light = new Map<StoreWrite, Lightened>();
  for (const write of writes) {
    if (write.kind !== "entry") continue;
    const paths = longTexts(write.entry as Holder);
    if (paths.length === 0) continue;
    const blobs = [];
    for (const path of paths) {
      const holder = holderOf(write.entry as Holder, path);
      const last = path.at(-1) as string;
      const text = holder[last] as string;
      const sha256 = await digest(text);
      blobs.push({ sha256, blob: new Blob([text]) });
      holder[last] = { $blob: sha256 };
    }
    light.set(write, { entry: write.entry as SessionEntry, paths, blobs });
  }
  return light;
}

/** The key of the blob at a path. */
export function blobAt(entry: SessionEntry | SessionHeader, path: Path): string {
  const holder = holderOf(entry as Holder, path);
  return (holder[path.at(-1) as string] as { $blob: string }).$blob;
}

/** Puts a text back where it was. */
export function putBack(entry: SessionEntry, path: Path, text: string): void {
  holderOf(entry as Holder, path)[path.at(-1) as string] = text;
}

function holderOf(entry: Holder, path: Path): Holder {
  let holder = entry;
  for (const key of path.slice(0, -1)) holder = holder[key] as Holder;
  return holder;
}

function longTexts(entry: Holder): Path[] {
  const found: Path[] = [];
  const open: [value: Holder, path: Path][] = [[entry, []]];
  const seen = new Set<unknown>();
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    if (seen.has(value)) continue;
    seen.add(value);
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (typeof member === "string") {
        // A lone surrogate would not come back from a blob.
        if (member.length > LONGEST && path.length > 0 && !/\p{Surrogate}/u.test(member))
          found.push([...path, key]);
      } else if (Array.isArray(member) || (member && Object.getPrototypeOf(member) === Object.prototype))
        open.push([member as Holder, [...path, key]]);
    }
  }
  return found;
}

/** The name of a text. Outside of secure contexts nothing computes it: then every text has a name of its own. */
async function digest(text: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return uuid();
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
