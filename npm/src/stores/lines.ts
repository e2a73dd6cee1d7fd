/** A session as lines of version 4: a header, then one line for each commit (SESSIONS 4.2). */
import { put } from "../put.js";
import { SessionError } from "../session/call.js";
import type { Committed, StoreWrite } from "../session/store.js";
import type { SessionHeader } from "../session/types.js";
import { headerOfV4 } from "../session/v4.js";

/** Where the header of the session stands: lines know no writes of headers. */
const HEADER = "steersman.header";
/** Members of an entry that the line needs for itself. */
const EXACT = "steersman.exact";

type Members = Record<string, unknown>;

/** A commit, as it was read. */
export interface ReadCommit {
  writes: StoreWrite[];
  seqs: number[];
  /** Its line; the first one is 1. */
  place: number;
}

/** A log that is being read. */
export interface ReadLog {
  /** The first line; without it the log is empty. */
  first: Members | undefined;
  /** Read as they are asked for. @throws SessionError `corrupt` with the line */
  commits: Iterable<ReadCommit>;
  /** The last commit, as it stands there. */
  lastLine: string;
  /** The bytes up to the last complete line, where more follow. */
  torn: number | undefined;
}

/** The first line of a log. */
export function firstLine(id: string, createdAt: number, header?: SessionHeader): string {
  const { cwd = "/project", parentSession } = header ?? {};
  const begun = Date.parse(header?.timestamp ?? "");
  const line = {
    ...{
      v: 4,
      kind: "header",
      id,
      storageVersion: 1,
      createdAt: Number.isNaN(begun) ? createdAt : begun,
      cwd,
    },
    ...(parentSession === undefined ? {} : { parentSessionId: parentSession }),
    // The header is a write, so this line alone is none.
    steersman: 1,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The header of a session that another program has begun. */
export function headerOf(first: Members): SessionHeader | undefined {
  if (first.steersman !== undefined) return undefined;
  return headerOfV4(first);
}

/** The line of a commit. */
export function lineOf(writes: readonly StoreWrite[], { firstSeq, timestamp }: Committed): string {
  const rows = writes.map((write, place) => rowOf(write, firstSeq + place, timestamp));
  return `${JSON.stringify(rows.length === 1 ? rows[0] : rows)}\n`;
}

function rowOf(write: StoreWrite, seq: number, now: number): Members {
  if (write.kind === "header")
    return { kind: "value", op: "set", seq, namespace: HEADER, key: "", value: write.header };
  if (write.kind === "usage") return inLine("usage", write.row, { seq });
  if (write.kind !== "entry") return { ...write, seq };
  const { timestamp } = write.entry;
  const time = timestamp === undefined ? now : Date.parse(timestamp);
  return inLine("entry", write.entry, { seq, timestamp: Number.isNaN(time) ? now : time });
}

/** A row with its members in the line itself, in their order. */
function inLine(kind: string, row: Members, own: Members): Members {
  const needed: Members = { kind, ...own };
  const exact: Members = {};
  for (const [name, value] of Object.entries(row))
    if (Object.hasOwn(needed, name) && !(name === "timestamp" && isoOf(needed[name]) === value))
      exact[name] = value;
  const line = "kind" in row ? { ...row, ...needed } : { kind, ...row, ...own };
  return Object.keys(exact).length > 0 ? { ...line, [EXACT]: exact } : line;
}

const isoOf = (time: unknown): unknown => {
  const date = new Date(Number(time));
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
};

/**
 * Reads a log. A last line that was not written to its end is left out.
 *
 * @throws SessionError `corrupt` with the line, `version`: a file of another version
 */
export function readLines(text: string): ReadLog {
  const end = text.lastIndexOf("\n") + 1;
  const torn = end === text.length ? undefined : new TextEncoder().encode(text.slice(0, end)).length;
  const begin = text.indexOf("\n") + 1;
  const first = end === 0 ? undefined : checkFirst(parse(text.slice(0, begin - 1), 1) as Members);
  const last = text.lastIndexOf("\n", end - 2) + 1;
  const lastLine = last < begin ? "" : text.slice(last, end - 1);
  return { first, commits: commitsIn(text, begin, end), lastLine, torn };
}

function* commitsIn(text: string, begin: number, end: number): Generator<ReadCommit> {
  let last = 0;
  for (let at = begin, place = 2; at < end; place++) {
    const next = text.indexOf("\n", at) + 1;
    const value = parse(text.slice(at, next - 1), place);
    at = next;
    const rows = (Array.isArray(value) ? value : [value]) as Members[];
    for (const row of rows) {
      const { seq } = row;
      if (!Number.isSafeInteger(seq) || (seq as number) <= last) throw new SessionError("corrupt", place);
      last = seq as number;
    }
    const seqs = rows.map(({ seq }) => seq as number);
    yield { writes: rows.map((row) => writeOf(row, place)), seqs, place };
  }
}

function parse(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Refused below.
  }
  throw new SessionError("corrupt", number);
}

function checkFirst(first: Members): Members {
  if (first.type === "session" || (first.kind === "header" && first.v !== 4))
    throw new SessionError("version");
  if (
    first.kind !== "header" ||
    first.storageVersion !== 1 ||
    typeof first.id !== "string" ||
    first.id === ""
  )
    throw new SessionError("corrupt", 1);
  return first;
}

function writeOf(row: Members, line: number): StoreWrite {
  const { kind, seq: _, [EXACT]: exact, ...rest } = row;
  if (kind === "value" && rest.namespace === HEADER)
    return { kind: "header", header: rest.value as SessionHeader };
  if (kind === "value" || kind === "list") return { kind, ...rest } as StoreWrite;
  if (kind !== "entry" && kind !== "usage") throw new SessionError("corrupt", line);
  const members: Members = {};
  const originals = (exact ?? {}) as Members;
  for (const [name, value] of Object.entries(row)) {
    if (name === EXACT) continue;
    const isExact = Object.hasOwn(originals, name);
    if (!isExact && (name === "kind" || name === "seq")) continue;
    const own = isExact ? originals[name] : name === "timestamp" && kind === "entry" ? isoOf(value) : value;
    put(members, name, own);
  }
  return (kind === "entry" ? { kind, entry: members } : { kind, row: members }) as StoreWrite;
}
