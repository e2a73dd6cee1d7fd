/** Operations of the engine, with their refusals as errors. */
import { callSession, type SessionKey } from "../engine/session.js";

/** What people read beside the code; the other codes are mistakes of a caller, or of a file, and say enough. */
const WORDS: Record<string, string> = {
  fenced: "another page writes",
  gone: "it was removed",
  quota: "there is no room left",
  unavailable: "nothing can be kept here",
  version: "another page has a later version",
};

/** The code, the place, what it means, and what the browser says itself: others may quote keys. */
function words(code: string, line: number | null | undefined, cause: unknown): string {
  const place = line ? `${code} (line ${line})` : code;
  const said = cause instanceof DOMException ? cause.message : "";
  return [place, WORDS[code], said].filter(Boolean).join(": ");
}

/** Why an operation on a session is refused. Nothing has changed then. */
export class SessionError extends Error {
  override name = "SessionError";
  /** For programs, such as `not_a_session`, `empty`, `corrupt`, `unknown_entry`, `bad_id`. */
  readonly code: string;
  /** The line of the file, from 1. */
  readonly line?: number;

  /** @param options `cause`: the original value, whatever it was */
  constructor(code: string, line?: number | null, options?: { cause?: unknown }) {
    super(words(code, line, options?.cause), options);
    this.code = code;
    if (line) this.line = line;
  }
}

/** Does an operation, or throws why not; it may be JSON already. */
export function call<T>(key: SessionKey | undefined, request: Record<string, unknown> | string): T {
  const answer = callSession(key, typeof request === "string" ? request : jsonOf(request));
  if ("error" in answer) throw new SessionError(answer.error, answer.line);
  return answer.value as T;
}

/** What it is as JSON. @throws SessionError `malformed`: a cycle, a BigInt, something that throws */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw new SessionError("malformed", undefined, { cause });
  }
}

/** A fresh id of an entry: the first 8 digits of a random UUID. */
export const randomId = (): string => uuid().slice(0, 8);

/** A random UUID (version 4). Also where the page is not a secure context, and `randomUUID` is missing. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
