/**
 * The entries of a session. A store may give many of them as one text, with what the engine has to know beside it: they
 * become objects when somebody looks at one of them, so that a long session opens without its whole past.
 */
import { SessionError } from "./call.js";
import type { SessionEntry } from "./types.js";

/** Entries that follow one another, as a store keeps them. */
export class EntryPack {
  readonly ids: readonly string[];

  /**
   * @param text JSON of the list of entries in UTF-8; `null` for those in `apart`
   * @param apart entries that are objects already, by place in the pack
   * @param outline ids and outlines as the engine takes them, see `Reader::pack` in `src/session/reader.rs`
   * @param told JSON: the `shapes` of the outlines, and the entries that the engine has `whole`
   * @param shapes how many shapes those are
   */
  constructor(
    readonly text: Uint8Array,
    readonly apart: readonly (readonly [place: number, entry: SessionEntry])[],
    readonly outline: string,
    readonly told: string,
    readonly shapes: number,
  ) {
    this.ids = outline.slice(0, outline.indexOf("|")).split(" ");
  }

  get length(): number {
    return this.ids.length;
  }

  /** The entries. @throws SessionError `corrupt` */
  entries(): SessionEntry[] {
    let entries: SessionEntry[] | undefined;
    try {
      entries = JSON.parse(new TextDecoder().decode(this.text));
    } catch {
      // It is said below.
    }
    if (entries?.length !== this.length) throw new SessionError("corrupt");
    for (const [place, entry] of this.apart) entries[place] = entry;
    return entries;
  }
}

/** See the module. */
export class EntryList {
  private readonly list: (SessionEntry | undefined)[];
  /** Those that nobody has looked into, and where they begin. */
  private readonly packs: { first: number; pack: EntryPack }[] = [];

  constructor(entries: SessionEntry[] = []) {
    this.list = entries;
  }

  get length(): number {
    return this.list.length;
  }

  push(entry: SessionEntry): void {
    this.list.push(entry);
  }

  addPack(pack: EntryPack): void {
    this.packs.push({ first: this.length, pack });
    this.list.length += pack.length;
  }

  set(place: number, entry: SessionEntry): void {
    this.at(place);
    this.list[place] = entry;
  }

  /** @throws SessionError `corrupt` */
  at(place: number): SessionEntry | undefined {
    if (this.list[place] === undefined && place < this.length)
      this.unpack(this.packs.findLastIndex(({ first }) => first <= place));
    return this.list[place];
  }

  /** All of them; entries that are added later will be in it, too. @throws SessionError `corrupt` */
  all(): SessionEntry[] {
    while (this.packs.length > 0) this.unpack(this.packs.length - 1);
    return this.list as SessionEntry[];
  }

  private unpack(at: number): void {
    const { first, pack } = this.packs[at] ?? {};
    if (first === undefined || !pack) return;
    for (const [place, entry] of pack.entries().entries()) this.list[first + place] = entry;
    this.packs.splice(at, 1);
  }
}
