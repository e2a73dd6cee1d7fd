/** The transcript in the format of OpenAI's chat completions, which engines inside the page take as well. */
import { getCurrentSystemPrompt, getCurrentTools } from "../transcript.js";
import type { Context, Message, Tool } from "../types.js";

/** A message of a chat. */
export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: ChatCall[] }
  | { role: "tool"; content: string; tool_call_id: string };

/** A call of a tool. `arguments` is JSON. */
export interface ChatCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A tool as it is declared to the engine. */
export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: object };
}

/** The whole conversation, the system prompt first. Texts only: images are left out. */
export function chatMessages(context: Context): ChatMessage[] {
  const prompt = context.systemPrompt ?? getCurrentSystemPrompt(context.messages);
  const system: ChatMessage[] = prompt ? [{ role: "system", content: prompt }] : [];
  return [...system, ...context.messages.flatMap(chatMessage)];
}

/** The tools that the model may call. */
export function chatTools(context: Context): ChatTool[] {
  return (context.tools ?? getCurrentTools(context.messages)).map(chatTool);
}

/** A tool with its schema as it is. */
export const chatTool = ({ name, description, parameters }: Tool): ChatTool => ({
  type: "function",
  function: { name, description, parameters: parameters as object },
});

/** One message; none for what an engine in the page cannot use (system messages go first, failed answers are left out). */
export function chatMessage(message: Message): ChatMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: textOf(message.content) }];
    case "toolResult":
      return [{ role: "tool", content: textOf(message.content), tool_call_id: message.toolCallId }];
    case "assistant": {
      const calls = message.content.flatMap((block): ChatCall[] =>
        block.type === "toolCall"
          ? [
              {
                id: block.id,
                type: "function",
                function: {
                  name: block.name,
                  arguments: block.argumentsText ?? JSON.stringify(block.arguments),
                },
              },
            ]
          : [],
      );
      const content = textOf(message.content);
      if (calls.length > 0) return [{ role: "assistant", content: content || null, tool_calls: calls }];
      return content ? [{ role: "assistant", content }] : [];
    }
    default:
      return [];
  }
}

/** The text of a message's content. */
export function textOf(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
}
