/** Small pieces that entries are made of. */
import { type Html, html, membersOf, nameOf, textOf } from "./escape.js";
import { image } from "./image.js";
import { plain, prose } from "./prose.js";

/** A text of at most so many characters is open from the start. */
const SHORT = 400;

/** Something to unfold. */
export function fold(kind: string, summary: Html, content: Html, open = false): Html {
  return open
    ? html`<details class="${kind}" open><summary>${summary}</summary>${content}</details>`
    : html`<details class="${kind}"><summary>${summary}</summary>${content}</details>`;
}

/** A line beside the conversation. */
export function note(content: Html): Html {
  return html`<p class="note">${content}</p>`;
}

/** The members of an object, one below the other; texts as they are, not as JSON. */
export function members(value: unknown): Html {
  const rows = Object.entries(membersOf(value)).map(
    ([name, one]) => html`<dt>${nameOf(name)}</dt><dd>${plain(textOf(one))}</dd>`,
  );
  if (rows.length > 0 && !Array.isArray(value)) return html`<dl>${rows}</dl>`;
  const text = textOf(value);
  return text === "" || text === "{}" ? html`<p class="note">Nothing.</p>` : plain(text);
}

/** Data to unfold, or nothing where there are none. */
export function data(title: string, value: unknown): Html {
  return value === undefined ? html`` : fold("data", html`${title}`, members(value));
}

/** The content of a message: a text, or blocks. `raw`: not to be read as prose. */
export function content(value: unknown, whose: string, raw = false): Html {
  const show = (text: string) => (text === "" ? html`` : raw ? plain(text) : prose(text));
  if (!Array.isArray(value)) return show(textOf(value));
  return html`${value.map((block) => {
    const { type, text } = membersOf(block);
    if (type === "image") return image(block, `Image of ${whose}`);
    return type === "text" ? show(textOf(text)) : data(`Block ${nameOf(type)}`, block);
  })}`;
}

/** All text of a content, for a preview. */
export function textIn(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : "";
  const texts = value.map((block) => membersOf(block).text).filter((text) => typeof text === "string");
  return texts.join(" ");
}

/** Whether something is short enough to be open from the start. */
export const isShort = (value: unknown): boolean => textOf(value).length <= SHORT;

/** The day and the minute, in UTC, of an ISO time or of milliseconds. */
export function time(value: unknown): Html {
  const date = new Date(typeof value === "number" ? value : textOf(value));
  if (Number.isNaN(date.getTime())) return html`${nameOf(value, 40)}`;
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A number with commas. */
export function count(value: unknown): string {
  return typeof value === "number" && Number.isFinite(value)
    ? String(value).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","))
    : "0";
}

/** Tokens and money of one answer, as far as they are known. */
export function usage(value: unknown): string[] {
  const { input, output, cacheRead, cacheWrite, cost } = membersOf(value);
  const parts: [unknown, string][] = [
    [input, "in"],
    [output, "out"],
    [cacheRead, "from cache"],
    [cacheWrite, "to cache"],
  ];
  const told = parts
    .filter(([amount]) => isAmount(amount))
    .map(([amount, word]) => `${count(amount)} ${word}`);
  const { total } = membersOf(cost);
  return isAmount(total) ? [...told, dollars(total)] : told;
}

export const isAmount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0;

export const dollars = (value: number): string => `$${value.toFixed(value < 1 ? 4 : 2)}`;
