import type { Message } from "steersman";
import { textOf } from "./text.js";

/** Requests that a summary lists, and characters of each. */
const most = 12;
const longest = 100;

/** What a script can say about a conversation: what was asked. The request holds it as text. */
export function summaryOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const request = last?.role === "user" ? textOf(last.content) : "";
  const before = between(request, "<previous-summary>", "</previous-summary>");
  const asked = request.matchAll(/^\[User\]: (.+)$/gm);
  const all = [...itemsOf(before), ...[...asked].map(([, text = ""]) => shortened(text))].slice(-most);
  const focus = /^Additional focus: (.+)$/m.exec(request)?.[1];
  return [
    "## What was asked",
    "",
    ...all.map((item) => `- ${item}`),
    ...(focus === undefined ? [] : ["", "## What you wanted to be kept", "", focus]),
    "",
    "## About this summary",
    "",
    "A script wrote it, so it only lists requests. A model would say what came of them.",
  ].join("\n");
}

/** What is still to be answered, where all that was said is in a summary: the last request that it lists. */
export const lastAsked = (text: string): string =>
  text.includes("<summary>") ? (itemsOf(text).at(-1) ?? "") : text;

const itemsOf = (summary: string): string[] =>
  [...summary.matchAll(/^- (.+)$/gm)].map(([, item = ""]) => item);

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)} …` : text);

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  return from < 0 ? "" : text.slice(from, text.indexOf(end, from));
}
