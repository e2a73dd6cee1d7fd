/** The file of a session inside of its page, and out of it again. */
import { SessionError } from "../session/call.js";
import { given } from "../session/given.js";
import type { Html } from "./escape.js";

const OPEN = '<script type="application/json" id="steersman-session">';
const CLOSE = "</script>";

/**
 * The lines as an array of JSON strings. Nothing in it can end the element or begin markup (SESSIONS 7.5), and what is
 * read again has the same bytes, escapes of the file included.
 */
export function embedded(jsonl: string): Html {
  const lines = jsonl.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const text = lines.map((line) => JSON.stringify(line)).join(",\n");
  return { markup: `${OPEN}[\n${text.replace(/[<>&\u2028\u2029]/g, unicode)}\n]${CLOSE}` };
}

const unicode = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * The session file inside of an exported page, for `SessionTree.import`.
 *
 * @throws SessionError `not_a_session`: the page holds none
 */
export function importHtml(page: string): string {
  const start = given(page, "page", "string").indexOf(OPEN);
  const end = page.indexOf(CLOSE, start);
  if (start < 0 || end < 0) throw new SessionError("not_a_session");
  try {
    const lines = JSON.parse(page.slice(start + OPEN.length, end)) as unknown;
    if (Array.isArray(lines) && lines.every((line) => typeof line === "string"))
      return lines.map((line) => `${line}\n`).join("");
  } catch {
    // Refused below.
  }
  throw new SessionError("not_a_session");
}
