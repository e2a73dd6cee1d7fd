/** A bound of the size of a context that costs nothing to keep, so that the size itself is rarely asked for. */
import { hasFailed, isAnswer } from "../answers.js";
import type { AgentMessage, ImageContent, TextContent, ThinkingContent, ToolCall, Usage } from "../types.js";
import { isReported } from "../usage.js";

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
    if (isAnswer(message) && !hasFailed(message) && isReported(message.usage))
      this.bound = Math.max(this.bound, countedBy(message.usage));
  }

  /** @param exact what it really is, asked for only where that may be */
  isAbove(threshold: number, exact: () => number): boolean {
    if (this.bound <= threshold) return false;
    this.bound = exact();
    return this.bound > threshold;
  }
}

function countedBy({ totalTokens, input, output, cacheRead, cacheWrite }: Usage): number {
  return totalTokens || input + output + cacheRead + cacheWrite;
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

function unitsOfBlock(block: TextContent | ThinkingContent | ImageContent | ToolCall): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "thinking") return block.thinking.length;
  if (block.type === "image") return IMAGE;
  return block.name.length + (JSON.stringify(block.arguments)?.length ?? 0);
}
