import type { AgentMessage, ToolResultMessage } from "steersman";
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from "steersman/session";
import { h } from "../dom.js";
import { branchNotice, summaryNotice } from "./summary-notice.js";

/** Something of the conversation that is drawn. */
export interface Piece {
  kind: "user" | "answer" | "other";
  element: HTMLElement;
  /** The id of its entry; a message that has just come gets one when it is stored. */
  entry?: string | undefined;
  message?: AgentMessage;
  tools?: HTMLElement | undefined;
}

/** What a tool came to. */
export type ToolResult = ToolResultMessage<unknown>;

const undrawn = new Set(["system", "toolResult"]);

/** Whether an entry is a piece of its own. Results are drawn into the cards of their calls; settings are not drawn. */
export function isDrawn(entry: SessionEntry): boolean {
  const { type, message, display, summary } = entry as unknown as Record<string, unknown>;
  if (type === "message") return !undrawn.has((message as AgentMessage).role);
  if (type === "custom_message") return display !== false;
  return type === "compaction" || (type === "branch_summary" && summary !== "");
}

/** The results of tools on a branch. */
export const toolResults = (branch: readonly SessionEntry[]): ToolResult[] =>
  branch.flatMap((entry) => {
    const { message } = entry as { message?: AgentMessage };
    return message?.role === "toolResult" ? [message as ToolResult] : [];
  });

/** What was said in a message; images in words. */
export function wordsOf(message: AgentMessage): string {
  return textOf((message as { content?: unknown }).content);
}

/** @param origin how it got into a run, if it was not its prompt */
export function userView(text: string, origin?: string): HTMLElement {
  return h(
    "article",
    { class: "message user", "aria-label": "You" },
    h("p", { class: "speaker", "aria-hidden": "true" }, origin ? `You, ${origin}` : "You"),
    h("p", { class: "said" }, text),
  );
}

/** Summaries, and what applications put into a conversation. */
export function otherView(entry: SessionEntry): HTMLElement {
  if (entry.type === "compaction") return summaryNotice(entry as CompactionEntry);
  if (entry.type === "branch_summary") return branchNotice((entry as BranchSummaryEntry).summary);
  const source = (entry as { message?: unknown }).message ?? entry;
  const { command, output, content, summary } = source as Record<string, unknown>;
  const text = command === undefined ? textOf(content ?? summary) : `${command}\n\n${output ?? ""}`;
  return h(
    "article",
    { class: "message other", "aria-label": command === undefined ? "Application" : "Command" },
    h("p", { class: "speaker", "aria-hidden": "true" }, command === undefined ? "Application" : "Command"),
    h("p", { class: "said" }, text),
  );
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: { text?: unknown; type?: unknown }) =>
      typeof block.text === "string" ? block.text : block.type === "image" ? "[image]" : "",
    )
    .join("");
}
