/** Texts of messages: the usual marks of Markdown, and addresses as links. One pass, no nesting. */
import { type Html, html, joined } from "./escape.js";

/** A longer line stays as it is. */
const LONGEST_LINE = 10_000;
const INLINE =
  /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\][]*)\]\(([^()\s]*)\)|\bhttps?:\/\/[^\s<>"'`\\[\]{}|^]+|\bmailto:[^\s<>"'`()]+/g;

/** An address that may be a link: `http`, `https` or `mailto`, without a user's name in it (SESSIONS 7.4). */
function addressOf(text: string): string | undefined {
  try {
    const url = new URL(text);
    const known = ["http:", "https:", "mailto:"].includes(url.protocol);
    return known && !url.username && !url.password ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function link(address: string, text: string): Html {
  const href = addressOf(address);
  return href === undefined
    ? html`${text}`
    : html`<a href="${href}" rel="noopener noreferrer nofollow">${text || address}</a>`;
}

/** A line with code, emphasis and links. */
function line(text: string): Html {
  if (text.length > LONGEST_LINE) return html`${text}`;
  const pieces: Html[] = [];
  let done = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, label, address] = found;
    pieces.push(html`${text.slice(done, found.index)}`);
    done = found.index + whole.length;
    if (code !== undefined) pieces.push(html`<code>${code}</code>`);
    else if (strong !== undefined) pieces.push(html`<strong>${strong}</strong>`);
    else if (label !== undefined) {
      const href = addressOf(address ?? "");
      pieces.push(href === undefined ? html`${whole}` : link(href, label));
    } else {
      // What ends a sentence is no part of the address.
      const bare = whole.replace(/[.,;:!?)*]{1,9}$/, "");
      pieces.push(link(bare, bare), html`${whole.slice(bare.length)}`);
    }
  }
  pieces.push(html`${text.slice(done)}`);
  return joined(pieces);
}

/** The block that a line belongs to. */
type Kind = "p" | "pre" | "ul" | "ol" | "quote" | "rows";

/** What a line is, and what of it is shown. Headings and rules are blocks of their own. */
function classify(text: string): [kind: Kind | "h" | "hr" | "", rest: string, depth: number] {
  if (text.trim() === "") return ["", "", 0];
  const heading = text.match(/^#{1,6} (.*)$/);
  if (heading) return ["h", heading[1] ?? "", text.indexOf(" ")];
  if (/^ {0,3}([-*_])( ?\1){2,} *$/.test(text)) return ["hr", "", 0];
  const item = text.match(/^( {0,12})(?:([-*+])|\d{1,9}[.)]) (.*)$/);
  if (item) return [item[2] ? "ul" : "ol", item[3] ?? "", Math.min(3, (item[1] ?? "").length >> 1)];
  if (text.startsWith(">")) return ["quote", text.replace(/^> ?/, ""), 0];
  if (text.startsWith("|")) return ["rows", text, 0];
  return ["p", text, 0];
}

/** A text as blocks: paragraphs, headings, lists, quotes, code. */
export function prose(text: string): Html {
  const out: Html[] = [];
  let kind: Kind | "" = "";
  let lines: Html[] = [];
  let fence = "";
  let start = "1";
  const close = () => {
    if (lines.length > 0 || kind === "pre") out.push(block(kind, lines, start));
    lines = [];
    kind = "";
  };
  for (const one of text.split(/\r\n|\r|\n/)) {
    const mark = one.match(/^ {0,3}(`{3,}|~{3,})([^`]*)$/);
    if (fence !== "") {
      if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === "") {
        close();
        fence = "";
      } else lines.push(html`${one}\n`);
      continue;
    }
    if (mark) {
      close();
      fence = mark[1] ?? "";
      kind = "pre";
      continue;
    }
    const [next, rest, depth] = classify(one);
    if (next !== kind) close();
    if (next === "h") out.push(html`<h3 class="h${depth}">${line(rest)}</h3>`);
    else if (next === "hr") out.push(html`<hr>`);
    else if (next !== "") {
      if (next === "ol" && kind === "") start = one.match(/\d+/)?.[0] ?? "1";
      kind = next;
      if (next === "ul" || next === "ol") lines.push(html`<li class="d${depth}">${line(rest)}</li>`);
      else if (next === "rows") lines.push(html`${rest}\n`);
      else lines.push(html`${lines.length > 0 ? "\n" : ""}${line(rest)}`);
    }
  }
  close();
  return joined(out);
}

function block(kind: Kind | "", lines: readonly Html[], start: string): Html {
  if (kind === "pre" || kind === "rows") return plain(lines);
  if (kind === "ul") return html`<ul>${lines}</ul>`;
  if (kind === "ol") return html`<ol start="${start}">${lines}</ol>`;
  if (kind === "quote") return html`<blockquote>${lines}</blockquote>`;
  return html`<p>${lines}</p>`;
}

/** A text as it is, in a box that the keyboard can scroll. */
export function plain(content: string | readonly Html[]): Html {
  return html`<pre tabindex="0">${content}</pre>`;
}
