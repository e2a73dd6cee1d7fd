/** Markup with texts of a session in it: what is put into a template is escaped, unless it is markup itself. */

/** A piece of a page. Only `html` makes one. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | undefined | Html | readonly Html[];

/** A template of markup. Texts may stand between tags, and inside of double quotes in a tag. */
export function html(parts: TemplateStringsArray, ...values: Part[]): Html {
  // Added up, not joined: what is put into a piece, and that into another one, would be copied each time.
  let markup = parts[0] ?? "";
  for (const [place, value] of values.entries()) markup += markupOf(value) + (parts[place + 1] ?? "");
  return { markup };
}

/** Pieces, one after the other. */
export function joined(pieces: readonly Html[]): Html {
  let all = "";
  for (const { markup } of pieces) all += markup;
  return { markup: all };
}

function markupOf(value: Part): string {
  if (value === undefined) return "";
  if (typeof value !== "object") return escape(String(value));
  return "markup" in value ? value.markup : joined(value).markup;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\u2028": "&#8232;",
  "\u2029": "&#8233;",
};
/** What has a meaning in markup or to a browser, may not stand in a page, or turns the direction of what follows. */
const SPECIAL =
  /[&<>"'\u2028\u2029\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r\n?|\p{Cs}/gu;

/** What most texts are: nothing in them is special. */
const PLAIN = /^[\t\n !#-%(-;=?-~\u00a0-\u2027]*$/;

/** A text in which nothing is markup. Control characters are dropped, and marks of direction shown (SESSIONS 7.3, 7.6). */
function escape(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(SPECIAL, (found) => {
    const entity = ENTITIES[found];
    if (entity !== undefined) return entity;
    if (found.startsWith("\r")) return "\n";
    if (found >= "\ud800" && found <= "\udfff") return "\ufffd";
    return found < "\u0100" ? "" : shown(found);
  });
}

/** What cannot be seen, and has no place in a name. */
const HIDDEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A name, an id or a path on one line, with everything visible, at most `longest` characters. */
export function nameOf(value: unknown, longest = 200): string {
  const whole = textOf(value);
  // Twice as much, because what is cut off may be spaces.
  const line = whole
    .slice(0, longest * 2)
    .replace(/\s+/g, " ")
    .trim();
  const cut = line.length > longest || whole.length > longest * 2 ? `${line.slice(0, longest)}…` : line;
  return cut.replace(HIDDEN, shown);
}

function shown(letter: string): string {
  return `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Any value as text: a string is itself, nothing is empty, the rest is JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** A value as an object; what is none has no members. */
export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
