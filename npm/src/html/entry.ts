/** Entries of a session, by type. */
import type { SessionEntry } from "../session/types.js";
import { type Html, html, nameOf, textOf } from "./escape.js";
import { custom, message, type Shown, summaryOf } from "./message.js";
import { content, count, data, fold, members, note, time, usage } from "./parts.js";

/** What entries need to know of the others. */
export interface Place {
  /** The number of the entry, by which it is linked to. */
  number: number;
  /** The numbers of all entries, by id. */
  numbers: ReadonlyMap<string, number>;
  label?: string | undefined;
}

type Members = Record<string, unknown>;

/** One entry of the page. */
export function entry(value: SessionEntry, place: Place): Html {
  const { type, ...rest } = value as SessionEntry & Members;
  const show = Object.hasOwn(articles, type) ? articles[type] : undefined;
  const mark =
    place.label === undefined ? undefined : html` <span class="label">${nameOf(place.label)}</span>`;
  const id = `e${place.number}`;
  if (!show) return html`<div class="aside" id="${id}">${aside(type, rest, place)}${mark}</div>`;
  const { kind, title, body } = show(rest);
  return html`
<article class="${kind}" id="${id}" aria-labelledby="${id}t"><h2 id="${id}t">${title}${mark}</h2><a class="when" href="#${id}">${time(rest.timestamp)}</a>
${body}</article>`;
}

const articles: Record<string, (entry: Members) => Shown> = {
  message: (entry) => message(entry.message),
  custom_message: custom,
  compaction: (entry) => {
    const { kind, title, body } = summaryOf("Summary of what came before", entry.summary);
    const size = note(html`The context was ${count(entry.tokensBefore)} tokens before.`);
    return { kind, title, body: html`${body}${size}${data("Details", entry.details)}` };
  },
  branch_summary: (entry) => {
    const { kind, title, body } = summaryOf("Summary of a branch that was left", entry.summary);
    return { kind, title, body: html`${body}${data("Details", entry.details)}` };
  },
};

/** Settings, names and data of the application: lines between the messages. */
function aside(type: string, entry: Members, { numbers }: Place): Html {
  const target = () => {
    const id = textOf(entry.targetId);
    const number = numbers.get(id);
    return number === undefined ? html`<code>${nameOf(id)}</code>` : html`<a href="#e${number}">an entry</a>`;
  };
  switch (type) {
    case "model_change":
      return note(html`Model: ${nameOf(entry.provider)}/${nameOf(entry.modelId)}`);
    case "thinking_level_change":
      return note(html`Thinking level: ${nameOf(entry.thinkingLevel)}`);
    case "active_tools_change":
      return note(html`Tools: ${nameOf(entry.activeToolNames)}`);
    case "session_info":
      return note(html`Named “${nameOf(entry.name)}”`);
    case "label": {
      const label = nameOf(entry.label);
      return note(label ? html`Label “${label}” on ${target()}` : html`Label removed from ${target()}`);
    }
    case "context_edit": {
      const { replacement } = entry;
      if (replacement === null) return note(html`The model no longer sees ${target()}.`);
      const said = content((replacement as Members | undefined)?.content, "the application");
      return fold("data", html`The model sees ${target()} in other words`, said);
    }
    case "usage": {
      const facts = [`${nameOf(entry.kind)}: ${nameOf(entry.provider)}/${nameOf(entry.model)}`];
      return note(html`${[...facts, ...usage(entry.usage), nameOf(entry.note)].filter(Boolean).join(" · ")}`);
    }
    case "custom":
      return fold("data", html`Data <code>${nameOf(entry.customType)}</code>`, members(entry.data));
    default: {
      const { id: _, parentId: __, timestamp: ___, ...rest } = entry;
      return fold("data", html`Entry <code>${nameOf(type)}</code>`, members(rest));
    }
  }
}
