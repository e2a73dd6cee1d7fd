import type { Context, Message } from "steersman";
import { type ChatMessage, type ChatTool, chatMessage, chatTools } from "steersman/adapters/wllama";

/**
 * The model file's own template ignores tools. This one lists them in the system turn and gives a tool's result a turn of
 * its own, so that the engine recognises calls in the answer and streams them as such.
 */
export const chatTemplate = `<|im_start|>system
{{ messages[0].content }}
{%- if tools %}
<tools>
{%- for tool in tools %}
{"name": "{{ tool.function.name }}", "description": "{{ tool.function.description }}", "parameters": {{ tool.function.parameters.properties | tojson }}}
{%- endfor %}
</tools>
{%- endif -%}
<|im_end|>
{% for message in messages[1:] -%}
<|im_start|>{{ message.role }}
{% if message.tool_calls -%}
{%- for call in message.tool_calls -%}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor -%}
{%- else -%}
{{ message.content }}
{%- endif -%}
<|im_end|>
{% endfor -%}
{% if add_generation_prompt -%}
<|im_start|>assistant
{% endif -%}`;

const instructions = "You are a helpful assistant. Use these tools.";

/** A worked example: what was asked, which call that led to, what came back, what was said. */
function example(
  id: string,
  ask: string,
  name: string,
  args: object,
  result: string,
  say: string,
): ChatMessage[] {
  return [
    { role: "user", content: ask },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: "tool", content: result, tool_call_id: id },
    { role: "assistant", content: say },
  ];
}

/**
 * A model this small imitates more than it understands. Two times of day, so that it learns to ask for the time and not
 * to repeat the one it has seen; one greeting, so that it learns to answer without a tool too.
 */
const examples: ChatMessage[] = [
  { role: "user", content: "Hi!" },
  { role: "assistant", content: "Hello! How can I help?" },
  ...example("e1", "What time is it?", "get_time", {}, "Monday 09:05", "It is Monday, 09:05."),
  ...example("e2", "Make it red", "set_color", { color: "red" }, "done", "The page is now red."),
  ...example("e3", "Tell me the time", "get_time", {}, "Friday 14:30", "It is Friday, 14:30."),
];

/** Everything before the conversation: always the same, so the engine reads it once and keeps it. */
export const preamble: ChatMessage[] = [{ role: "system", content: instructions }, ...examples];

/** Tools in as few words as possible: each costs time to read. The agent checks the arguments with the full schema. */
export const shortTools = (context: Context): ChatTool[] =>
  chatTools(context).map(({ type, function: { name, description, parameters } }) => {
    const { properties = {} } = parameters as { properties?: Record<string, { type?: string }> };
    const types = Object.entries(properties).map(([key, of]) => [key, { type: of.type ?? "string" }]);
    return {
      type,
      function: { name, description, parameters: { type: "object", properties: Object.fromEntries(types) } },
    };
  });

/** Characters of conversation that fit beside the preamble; a token has about three and a half. */
const budget = 6000;

/** The preamble and as much of the conversation as fits, oldest requests first to go. */
export function conversation(transcript: readonly Message[]): ChatMessage[] {
  const turns: ChatMessage[][] = [];
  for (const message of transcript) {
    if (message.role === "user") turns.push([]);
    turns.at(-1)?.push(...chatMessage(message).map(callOrText));
  }
  const size = (turn: ChatMessage[]) => JSON.stringify(turn).length;
  let total = turns.reduce((sum, turn) => sum + size(turn), 0);
  if (total > budget) {
    // Down to half at once: whatever is dropped, the engine has to read the rest again.
    while (turns.length > 1 && total > budget / 2) total -= size(turns.shift() ?? []);
  }
  return [...preamble, ...turns.flat()];
}

/** The template writes either: what this model says beside a call is never of use. */
const callOrText = (message: ChatMessage): ChatMessage =>
  message.role === "assistant" && message.tool_calls ? { ...message, content: null } : message;
