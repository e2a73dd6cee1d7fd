/** A session that is read entry by entry. The engine settles ids and places, the objects stay here. */
import { dropSession, isAlive, type SessionKey } from "../engine/session.js";
import { currentGeneration } from "../engine/guard.js";
import { call, uuid } from "./call.js";
import { EntryList, EntryPack } from "./entry-list.js";
import { shapeOf } from "./outline.js";
import type { BesideTree, ImportReport, SessionEntry, SessionHeader, SessionSources } from "./types.js";

/** A session in the engine, and what it is made of. */
export interface Opened extends Partial<BesideTree> {
  key: number;
  header: SessionHeader;
  entries: SessionEntry[] | EntryList;
  /** The position of the leaf. */
  leaf: number | null;
  reports?: ImportReport[];
  /** The positions of the ids. */
  places?: Map<string, number>;
  /** The lines of the file, the header's first, where they are to be written again as they are. */
  lines?: (string | undefined)[];
}

/** So many ids are drawn for one entry before a whole UUID is taken. */
const MOST_DRAWS = 100;
/** So many entries are told to the engine at once. */
const AT_ONCE = 256;

/** Reads a session. It must be ended with `end` or `stop`. */
export class Reader {
  readonly #header: SessionHeader;
  /** Whether entries may look otherwise than today: all are told whole, and come back as they are today. */
  readonly #old: boolean;
  readonly #sources: Required<SessionSources>;
  #key: SessionKey;
  readonly #entries = new EntryList();
  /** The id of the entry before. */
  #before: unknown;
  readonly #lines: (string | undefined)[] = [];
  readonly #numbers: number[] = [];
  readonly #places = new Map<string, number>();
  /** Ids that more than one entry has had. */
  readonly #shared = new Set<string>();
  /** What was left out, and what it followed. */
  readonly #skipped = new Map<string | null | undefined, string | null>();
  readonly #shapes = new Map<string, number>();
  /** How many the engine has. */
  #shapeCount = 0;
  #newShapes: unknown[] = [];
  #rows: unknown[] = [];
  /** How many entries the engine knows. */
  #told = 0;
  #reports: ImportReport[] = [];

  /** `line`: the text of the header, where it is one of a file. @throws SessionError `not_a_session` */
  constructor(header: SessionHeader, sources: Required<SessionSources>, line?: string) {
    this.#header = header;
    this.#sources = sources;
    this.#key = this.#begin();
    this.#old = !(typeof header.version === "number" && header.version >= 3);
    if (line !== undefined) this.#lines.push(this.#old ? undefined : line);
  }

  /** How many entries were read. */
  get count(): number {
    return this.#entries.length;
  }

  /** The next entry, and the line it came from; or the next ones, in a pack. */
  add(value: unknown, line?: string, number?: number): void {
    if (value instanceof EntryPack) return this.#addPack(value);
    const place = this.#entries.length;
    if (!isEntry(value) || this.#skips(value))
      return this.report({ code: "bad_line", line: number ?? place + 2 });
    const above = this.#skipped.get(value.parentId);
    const entry = above === undefined ? value : { ...value, parentId: above };
    this.#row(entry, place);
    this.#entries.push(entry);
    if (number !== undefined) {
      this.#lines.push(entry === value ? line : undefined);
      this.#numbers.push(number);
    }
    if (place + 1 - this.#told >= AT_ONCE) this.#tell();
  }

  #addPack(pack: EntryPack): void {
    this.#tell();
    const { ids } = pack;
    let sound = 0;
    for (; sound < ids.length && !this.#old; sound++) {
      const id = ids[sound] as string;
      if (this.#places.has(id)) break;
      this.#places.set(id, this.#told + sound);
    }
    if (sound < ids.length) {
      // Ids that are taken are for the engine to settle, entry by entry.
      for (const id of ids.slice(0, sound)) this.#places.delete(id);
      for (const entry of pack.entries()) this.add(entry);
      return;
    }
    call(this.#key, `{"op":"pack","outline":"${pack.outline}",${pack.told.slice(1)}`);
    this.#entries.addPack(pack);
    this.#shapeCount += pack.shapes;
    this.#told = this.#entries.length;
    this.#before = ids.at(-1);
  }

  /** An answer that was still coming is none; no store takes it (SESSIONS 1.3). What follows it follows what it followed. */
  #skips(entry: SessionEntry): boolean {
    const { id, parentId } = entry;
    const { message } = entry as { message?: { role?: unknown; stopReason?: unknown } | null };
    if (entry.type !== "message" || message?.role !== "assistant" || message.stopReason !== "pending")
      return false;
    if (typeof id === "string") this.#skipped.set(id, this.#skipped.get(parentId) ?? parentId ?? null);
    return true;
  }

  /** Something that is not as it should be. */
  report(report: ImportReport): void {
    this.#reports.push(report);
  }

  /** The session. */
  end(): Opened {
    this.#tell();
    const told = call<Opened>(this.#key, { op: "end" });
    const found = [...this.#reports].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const reports = [...found, ...(told.reports ?? []).map((report) => this.#located(report))];
    const opened: Opened = {
      ...told,
      header: this.#old ? told.header : this.#header,
      entries: this.#entries,
      places: this.#places,
      reports,
    };
    if (this.#lines.length > 0) opened.lines = this.#lines;
    return opened;
  }

  /** There will be no session. */
  stop(): void {
    dropSession(this.#key);
  }

  #begin(): SessionKey {
    const key = call<number>(undefined, { op: "begin", header: this.#header });
    return { key, generation: currentGeneration() };
  }

  #row(entry: SessionEntry, place: number): void {
    const { id, parentId, timestamp } = entry;
    const taken = this.#places.has(id);
    if (taken) this.#shared.add(id);
    else if (typeof id === "string" && id !== "") this.#places.set(id, place);
    const whole = this.#old || taken || typeof id !== "string" || id === "";
    const shape = whole ? undefined : this.#shape(entry);
    if (shape === undefined) this.#rows.push(entry);
    else {
      const parent = typeof parentId === "string" ? parentId : null;
      const time = typeof timestamp === "string" ? timestamp : "";
      this.#rows.push(shape, id, parent !== null && parent === this.#before ? 0 : parent, time);
    }
    this.#before = id;
  }

  /** The place of the shape of an entry. `undefined`: it is told whole. */
  #shape(entry: SessionEntry): number | undefined {
    const { parentId } = entry;
    // What one of several entries with an id is meant by, the engine finds out.
    if (parentId === "" || (typeof parentId === "string" && this.#shared.has(parentId))) return undefined;
    const shape = shapeOf(entry);
    if (shape === undefined) return undefined;
    const known = this.#shapes.get(shape);
    if (known !== undefined) return known;
    this.#newShapes.push(JSON.parse(shape));
    this.#shapes.set(shape, this.#shapeCount);
    return this.#shapeCount++;
  }

  #tell(): void {
    if (!isAlive(this.#key)) this.#again();
    let drawn = 0;
    let ids: string[] = [];
    while (this.#told < this.#entries.length) {
      const request = { op: "rows", shapes: this.#newShapes, rows: this.#rows, ids, now: 0 };
      const { done, changes, reports } = call<Told>(this.#key, request);
      this.#newShapes = [];
      for (const [at, entry] of changes) this.#mend(this.#told + at, entry);
      for (const report of reports) this.report(this.#located(report));
      this.#told += done;
      if (done > 0) drawn = 0;
      // What is left needs new ids: it is told whole.
      this.#rows = this.#rest();
      const draw = drawn < MOST_DRAWS ? this.#sources.ids : uuid;
      ids = this.#rows.map(() => String(draw()));
      drawn += ids.length;
    }
    this.#rows = [];
  }

  /** What the engine does not know. */
  #rest(): SessionEntry[] {
    return this.#told === this.#entries.length ? [] : this.#entries.all().slice(this.#told);
  }

  /** The engine was restarted: it is told all again. */
  #again(): void {
    this.#key = this.#begin();
    this.#shapes.clear();
    this.#newShapes = [];
    this.#shapeCount = 0;
    this.#told = 0;
    this.#rows = this.#rest();
  }

  #mend(place: number, entry: SessionEntry): void {
    this.#entries.set(place, entry);
    this.#places.set(entry.id, place);
    if (this.#lines.length > 0) this.#lines[place + 1] = undefined;
  }

  /** The engine names the place of an entry as its line. */
  #located(report: ImportReport): ImportReport {
    const { line = 0, code } = report;
    return code === "future_version" ? report : { ...report, line: this.#numbers[line] ?? line + 2 };
  }
}

function isEntry(value: unknown): value is SessionEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, "type");
}

interface Told {
  done: number;
  /** Entries that are other ones now, by place among those that were told. */
  changes: [at: number, entry: SessionEntry][];
  reports: ImportReport[];
}
