/** A session as one file to read: no network, no scripts, nothing of the session becomes markup (SESSIONS 7). */
import { given, givenTree } from "../session/given.js";
import { type RedactOptions, redact } from "../session/redact.js";
import type { SessionTree } from "../session/tree.js";
import type { SessionEntry, SessionTreeNode } from "../session/types.js";
import { embedded } from "./embed.js";
import { entry } from "./entry.js";
import { type Html, html, membersOf, nameOf } from "./escape.js";
import { layout, type Step } from "./layout.js";
import { preview } from "./message.js";
import { count, dollars, isAmount, time } from "./parts.js";
import { STYLE, STYLE_HASH } from "./style.js";

/** How a session becomes a page. */
export interface HtmlOptions {
  /** What stands above. Default: the name of the session. */
  title?: string | undefined;
  /** Whether the session file is inside, for `importHtml`. Default true. */
  data?: boolean | undefined;
  /** What is left out. Default: what looks like a key. `false`: nothing. */
  redact?: RedactOptions | false | undefined;
}

/** A page. */
export interface HtmlExport {
  html: string;
  /** How many places were replaced. */
  replaced: number;
}

const POLICY = `default-src 'none'; img-src data:; style-src '${STYLE_HASH}'; script-src 'none'; base-uri 'none'; form-action 'none'`;

/**
 * The session as a page that needs nothing else: the branch of the leaf, and other branches to unfold where they leave.
 * Works without scripts; a policy in it forbids them, and everything that would be loaded.
 */
export function exportHtml(session: SessionTree, options: HtmlOptions = {}): HtmlExport {
  const { redact: wanted = {}, data = true } = given(options, "options");
  givenTree(session, "session");
  const { tree, replaced } = wanted === false ? { tree: session, replaced: 0 } : redact(session, wanted);
  const entries = tree.getEntries();
  const title = nameOf(options.title ?? tree.getSessionName()) || "Conversation";
  const numbers = new Map(entries.map(({ id }, place) => [id, place + 1]));
  const steps = layout(tree);
  const page = html`<!doctype html>
<html lang="en"><head>
<meta http-equiv="Content-Security-Policy" content="${{ markup: POLICY }}">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Steersman">
<title>${title}</title>
<style>${{ markup: STYLE }}</style>
</head><body>
<header><h1>${title}</h1>${facts(tree)}</header>
${contents(steps, numbers)}
<main>${steps.map((step) => piece(step, numbers))}
</main>
<footer><p>${closing(replaced, data)}</p></footer>
${data ? embedded(tree.export()) : undefined}
</body></html>
`;
  return { html: page.markup, replaced };
}

function piece(step: Step, numbers: ReadonlyMap<string, number>): Html {
  if (step.kind === "close") return html`</div></details>`;
  const { node } = step;
  const number = numbers.get(node.entry.id) ?? 0;
  if (step.kind === "entry")
    return isMark(node.entry) ? html`` : entry(node.entry, { number, numbers, label: node.label });
  const what = step.root ? "Another beginning" : "Another branch";
  const from = step.from === undefined ? undefined : numbers.get(step.from);
  const leaves =
    from === undefined ? undefined : html`<p class="note">Leaves <a href="#e${from}">here</a>.</p>`;
  return html`
<details class="branch"><summary>${what} <span class="preview">${firstWords(node)}</span></summary><div>${leaves}`;
}

/** What a branch begins with. */
function firstWords(node: SessionTreeNode): string {
  let at: SessionTreeNode | undefined = node;
  // Settings come before what is said.
  for (let steps = 0; at && steps < 10; steps++) {
    const words = preview(membersOf(at.entry).message ?? at.entry);
    if (words) return words;
    at = at.children.at(-1);
  }
  return "";
}

/** Where the leaf is, in a file. It says nothing to a reader. */
function isMark(value: SessionEntry): boolean {
  return value.type === "custom" && membersOf(value).customType === "steersman.leaf";
}

function facts(tree: SessionTree): Html {
  const { id, timestamp, cwd, parentSession } = tree.getHeader();
  const models = new Set<string>();
  let messages = 0;
  let tokens = 0;
  let cost = 0;
  for (const { type, message, usage } of tree.getEntries().map(membersOf)) {
    const { role, provider, model, usage: used } = membersOf(message);
    if (type === "message") messages++;
    if (role === "assistant") models.add(`${nameOf(provider, 60)}/${nameOf(model, 100)}`);
    const { totalTokens, cost: price } = membersOf(used ?? usage);
    if (isAmount(totalTokens)) tokens += totalTokens;
    const { total } = membersOf(price);
    if (isAmount(total)) cost += total;
  }
  const rows: [string, Html | string | false][] = [
    ["Began", time(timestamp)],
    ["Messages", count(messages)],
    ["Models", [...models].join(", ")],
    ["Tokens", tokens > 0 && count(tokens)],
    ["Cost", cost > 0 && dollars(cost)],
    ["Folder", nameOf(cwd)],
    ["Session", nameOf(id)],
    ["Made from", nameOf(parentSession)],
  ];
  return html`<dl class="about">${rows
    .filter(([, value]) => value)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value || ""}</dd></div>`)}</dl>`;
}

/** Links to what the user said, where there is more than a little of it. */
function contents(steps: readonly Step[], numbers: ReadonlyMap<string, number>): Html {
  const links: Html[] = [];
  let inside = 0;
  for (const step of steps) {
    if (step.kind === "open") inside++;
    else if (step.kind === "close") inside--;
    else if (inside === 0) {
      const { id, message } = membersOf(step.node.entry);
      if (membersOf(message).role === "user")
        links.push(
          html`<li><a href="#e${numbers.get(String(id))}">${preview(message) || "(no text)"}</a></li>`,
        );
    }
  }
  if (links.length < 3) return html``;
  return html`<nav aria-label="Contents"><details><summary>Contents</summary><ol>${links}</ol></details></nav>`;
}

function closing(replaced: number, data: boolean): string {
  const parts = ["Exported by Steersman."];
  if (replaced > 0)
    parts.push(replaced === 1 ? "One place was redacted." : `${count(replaced)} places were redacted.`);
  if (data) parts.push("The session is inside of this file and can be imported again.");
  return parts.join(" ");
}
