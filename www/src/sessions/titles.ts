import type { SessionEntry } from "steersman/session";

const longest = 60;
/** A conversation that has nothing to be named by. */
export const untitled = "Untitled conversation";

/** What a conversation is called: its name, or how it begins. */
export function titleOf({ name, preview = "" }: { name?: string; preview?: string }): string {
  return short(name ?? preview) || untitled;
}

/** The first thing that was said, for a conversation that is not in the list yet. */
export function firstWords(entries: readonly SessionEntry[]): string {
  for (const { type, message } of entries as readonly { type: string; message?: Said }[])
    if (type === "message" && message?.role === "user") return textOf(message.content);
  return "";
}

/** A title as the name of a file: what all systems take. */
export const fileName = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50) || "conversation";

interface Said {
  role: string;
  content?: unknown;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: { text?: unknown }) => (typeof block.text === "string" ? block.text : ""))
    .join(" ");
}

/** One line that ends with a whole word. */
function short(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest);
  return `${cut.slice(0, cut.lastIndexOf(" ") > 30 ? cut.lastIndexOf(" ") : longest)} …`;
}
