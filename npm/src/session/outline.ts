/** What the engine is told of an entry: the tree needs little of it, and the objects stay here. */
import type { SessionEntry } from "./types.js";

/** Types whose entries the engine has whole: they are small, and all that they say counts. */
const WHOLE = [
  ...["model_change", "thinking_level_change", "active_tools_change", "compaction", "branch_summary"],
  ...["custom_message", "label", "session_info", "context_edit"],
];

/** What a message has in common with others. `undefined`: it is told whole. */
export function messageOutline(message: unknown): Record<string, unknown> | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { role, provider, model, content } = message as Record<string, unknown>;
  if (typeof role !== "string" || role === "system") return undefined;
  const shape: Record<string, unknown> = role === "assistant" ? { role, provider, model } : { role };
  if (content !== undefined && content !== null) shape.content = "";
  return shape;
}

/** The shape of an entry, as JSON. `undefined`: it is told whole. */
export function shapeOf(entry: SessionEntry): string | undefined {
  const { type } = entry;
  if (type === "message") {
    const message = messageOutline(entry.message);
    return message && JSON.stringify({ type, message });
  }
  if (typeof type !== "string" || WHOLE.includes(type)) return undefined;
  if ("targetId" in entry || "firstKeptEntryId" in entry) return undefined;
  return JSON.stringify({ type });
}

/** The numbers of runs, each told as its first and how many follow one another. */
export function expand(runs: readonly number[]): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    const [first = 0, count = 0] = [runs[at], runs[at + 1]];
    for (let offset = 0; offset < count; offset++) numbers.push(first + offset);
  }
  return numbers;
}
