/** A bound of the size of a context that costs nothing to keep, so that the size itself is rarely asked for. */
import { hasFailed, isAnswer } from "../answers.js";
import type { AgentMessage, ImageContent, TextContent, ThinkingContent, ToolCall } from "../types.js";
import { isReported } from "../usage.js";
import { calculateContextTokens } from "./compaction.js";

/** What an image counts for, in characters (COMPACTION 2). */
const IMAGE = 4800;

/** Never below what the messages count for. */
export class SizeBound {
  private bound = 0;

  /** A context of these messages. */
  reset(messages: readonly AgentMessage[]): void {
    this.bound = 0;
    for (const message of messages) this.add(message);
  }

  /** One more message. */
  add(message: AgentMessage): void {
    this.bound += Math.ceil(unitsOf(message) / 4);
    // What an answer has counted is taken in place of estimates.
    if (isAnswer(message) && !hasFailed(message) && isReported(message.usage ?? undefined))
      this.bound = Math.max(this.bound, calculateContextTokens(message.usage));
  }

  /** @param exact what it really is, asked for only where that may be */
  isAbove(threshold: number, exact: () => number): boolean {
    if (this.bound <= threshold) return false;
    this.bound = exact();
    return this.bound > threshold;
  }
}

/** UTF-16 units of a message, or more. */
function unitsOf(message: AgentMessage): number {
  const { role, content } = message as { role: string; content?: unknown };
  if (!["user", "assistant", "toolResult"].includes(role)) return JSON.stringify(message)?.length ?? 0;
  if (typeof content === "string") return content.length;
  if (!Array.isArray(content)) return 0;
  let units = 0;
  for (const block of content) units += unitsOfBlock(block);
  return units;
}

/** Tools and files bring blocks of types that nobody knows, or without their text. */
function unitsOfBlock(given: TextContent | ThinkingContent | ImageContent | ToolCall): number {
  const { type, text, thinking } = (given ?? {}) as unknown as Record<string, unknown>;
  if (type === "image") return IMAGE;
  if (type === "text" && typeof text === "string") return text.length;
  if (type === "thinking" && typeof thinking === "string") return thinking.length;
  return JSON.stringify(given)?.length ?? 0;
}
