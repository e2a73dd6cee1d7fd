/** Messages of the conversation, by role. */
import { type Html, html, membersOf, nameOf, textOf } from "./escape.js";
import { content, data, fold, isShort, members, note, textIn, usage } from "./parts.js";
import { plain, prose } from "./prose.js";

/** A message as an article: what it is called, its class, and what is in it. */
export interface Shown {
  kind: string;
  title: Html;
  body: Html;
}

/** A message of any role. */
export function message(value: unknown): Shown {
  const { role, ...rest } = membersOf(value);
  const show = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (show) return show(rest);
  const title = html`Message of the role <code>${nameOf(role) || "unknown"}</code>`;
  return { kind: "other", title, body: members(rest) };
}

/** The beginning of what a message says. */
export function preview(value: unknown): string {
  const { content: said, summary, command, errorMessage } = membersOf(value);
  return nameOf(textIn(said) || textOf(summary ?? command ?? errorMessage), 80);
}

type Members = Record<string, unknown>;

const roles: Record<string, (message: Members) => Shown> = {
  user: (message) => ({ kind: "user", title: html`User`, body: content(message.content, "the user") }),
  assistant: (message) => ({ kind: "assistant", title: html`Assistant`, body: answer(message) }),
  toolResult: (message) => ({
    kind: message.isError === true ? "result failed" : "result",
    title: html`Tool result`,
    body: result(message),
  }),
  system: (message) => ({ kind: "system", title: html`System`, body: system(message) }),
  bashExecution: (message) => ({ kind: "result", title: html`Command of the user`, body: command(message) }),
  custom,
  hookMessage: custom,
  branchSummary: ({ summary }) => summaryOf("Summary of a branch", summary),
  compactionSummary: ({ summary }) => summaryOf("Summary of what came before", summary),
};

/** A summary, whoever it stands for. */
export function summaryOf(title: string, summary: unknown): Shown {
  return { kind: "summary", title: html`${title}`, body: prose(textOf(summary)) };
}

/** A message of the application. */
export function custom({ customType, content: said, display, details }: Members): Shown {
  const body = html`${content(said, "the application")}${data("Details", details)}`;
  const title = html`Application <code>${nameOf(customType)}</code>`;
  const hidden = display === false;
  return {
    kind: "other",
    title,
    body: hidden ? fold("data", html`Not displayed in the application`, body) : body,
  };
}

function answer({ content: blocks, errorMessage, stopReason, provider, model, ...rest }: Members): Html {
  const shown = (Array.isArray(blocks) ? blocks : [{ type: "text", text: blocks }]).map(block);
  const failed = stopReason === "error" || stopReason === "aborted";
  const cut = stopReason === "length";
  const ending = failed
    ? textOf(errorMessage) || "The answer was stopped."
    : cut
      ? "The answer was cut off."
      : "";
  const facts = [`${nameOf(provider, 60)}/${nameOf(model, 100)}`, ...usage(rest.usage)];
  if (typeof rest.durationMs === "number") facts.push(`${(rest.durationMs / 1000).toFixed(1)} s`);
  return html`${shown}${ending ? html`<p class="failure">${ending}</p>` : undefined}<p class="facts">${facts.join(" · ")}</p>`;
}

function block(value: unknown): Html {
  const {
    type,
    text,
    thinking,
    redacted,
    name,
    id,
    arguments: given,
    argumentsText,
    argumentsError,
  } = membersOf(value);
  if (type === "text") return prose(textOf(text));
  if (type === "thinking") {
    const hidden = redacted === true && !thinking;
    return fold(
      "thinking",
      html`Thinking`,
      hidden ? note(html`Hidden by the provider.`) : prose(textOf(thinking)),
    );
  }
  if (type !== "toolCall") return data(`Block ${nameOf(type)}`, value);
  const title = html`Calls <code>${nameOf(name)}</code> <span class="id">${nameOf(id, 80)}</span>`;
  const exact = typeof argumentsText === "string" ? plain(argumentsText) : members(given);
  const wrong =
    argumentsError === undefined ? undefined : html`<p class="failure">${textOf(argumentsError)}</p>`;
  return fold("call", title, html`${exact}${wrong}`, isShort(given));
}

function result({
  toolName,
  toolCallId,
  content: said,
  details,
  isError,
  nestedCalls,
  durationMs,
}: Members): Html {
  const title = html`${isError === true ? "Failure" : "Result"} of <code>${nameOf(toolName)}</code> <span class="id">${nameOf(toolCallId, 80)}</span>`;
  const took = typeof durationMs === "number" ? note(html`${(durationMs / 1000).toFixed(1)} s`) : undefined;
  const body = html`${content(said, "a tool", true)}${data("Details", details)}${data("Nested calls", nestedCalls)}${took}`;
  return fold("call", title, body, isError === true || hasImage(said) || isShort(textIn(said)));
}

function hasImage(said: unknown): boolean {
  return Array.isArray(said) && said.some((one) => membersOf(one).type === "image");
}

function system({ content: said, sections, toolsAdded, toolsRemoved }: Members): Html {
  const names = (tools: unknown) =>
    Array.isArray(tools) ? tools.map((tool) => nameOf(membersOf(tool).name ?? tool)).join(", ") : "";
  const body = html`${content(said, "the application")}${sections === undefined ? undefined : members(sections)}`;
  const added = names(toolsAdded);
  const removed = names(toolsRemoved);
  return html`${fold("data", html`Instructions`, body)}${added ? note(html`Tools: ${added}`) : undefined}${
    removed ? note(html`No longer available: ${removed}`) : undefined
  }`;
}

function command({
  command: line,
  output,
  exitCode,
  cancelled,
  truncated,
  fullOutputPath,
  ...rest
}: Members): Html {
  const notes = [
    cancelled === true ? "cancelled" : "",
    typeof exitCode === "number" && exitCode !== 0 ? `exit code ${exitCode}` : "",
    truncated === true ? `cut; all of it: ${nameOf(fullOutputPath)}` : "",
    rest.excludeFromContext === true ? "not told to the model" : "",
  ].filter(Boolean);
  const title = html`<code>${nameOf(line)}</code>`;
  const body = html`${plain(textOf(output))}${notes.length > 0 ? note(html`${notes.join(", ")}`) : undefined}`;
  return fold("call", title, body, isShort(output));
}
