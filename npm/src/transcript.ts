import { roleOf } from "./answers.js";
import { type ToolChanges, toolChanges } from "./declarations.js";
import type {
  AgentContext,
  AgentMessage,
  Context,
  CustomMessage,
  Message,
  SystemMessage,
  TextContent,
  Tool,
} from "./types.js";

/** Any list of messages, with kinds of the application among them. */
export type TranscriptMessages = readonly { readonly role: string }[];

// Anything may stand in a transcript.
function isSystem(message: { readonly role: string }): message is SystemMessage {
  return roleOf(message) === "system";
}

/** What a list holds; nothing where it is none, as in a message that was made by hand. */
const objectsIn = <T>(list: readonly T[] | undefined): readonly T[] =>
  Array.isArray(list) ? list.filter(Boolean) : [];

function textOf(content: string | readonly TextContent[]): string {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of objectsIn(content)) if (block.type === "text") texts.push(block.text);
  return texts.join("\n");
}

/** Applies the tool changes of one system message. */
function replayTools(tools: Map<string, Tool>, message: SystemMessage): void {
  for (const { name } of objectsIn(message.toolsRemoved)) tools.delete(name);
  for (const tool of objectsIn(message.toolsAdded)) tools.set(tool.name, tool);
}

function declaredTools(messages: TranscriptMessages): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const message of messages) if (isSystem(message)) replayTools(tools, message);
  return tools;
}

/** The tools that the model may call at the end of a transcript. */
export function getCurrentTools(messages: TranscriptMessages): Tool[] {
  return [...declaredTools(messages).values()];
}

/**
 * All system messages of a transcript replayed into one: instructions joined by blank lines, sections as they are now,
 * tools as they are now. Undefined when there is no system message.
 */
export function getCurrentSystemMessage(messages: TranscriptMessages): SystemMessage | undefined {
  const texts: string[] = [];
  const sections = new Map<string, string>();
  const tools = new Map<string, Tool>();
  let timestamp: number | undefined;
  for (const message of messages) {
    if (!isSystem(message)) continue;
    timestamp ??= message.timestamp;
    const text = textOf(message.content);
    if (text !== "") texts.push(text);
    for (const [name, section] of Object.entries(message.sections ?? {})) {
      if (section === null) sections.delete(name);
      else sections.set(name, section);
    }
    replayTools(tools, message);
  }
  if (timestamp === undefined && tools.size === 0) return undefined;
  const current: SystemMessage = { role: "system", content: texts.join("\n\n"), timestamp: timestamp ?? 0 };
  if (sections.size > 0) current.sections = Object.fromEntries(sections);
  if (tools.size > 0) current.toolsAdded = [...tools.values()];
  return current;
}

/** The system prompt at the end of a transcript: instructions and sections. Empty when there is none. */
export function getCurrentSystemPrompt(messages: TranscriptMessages): string {
  const current = getCurrentSystemMessage(messages);
  if (!current) return "";
  const sections = Object.values(current.sections ?? {});
  return [textOf(current.content), ...sections].filter(Boolean).join("\n\n");
}

/** The first system message of a conversation. Undefined when there is neither a prompt nor a tool. */
export function createInitialSystemMessage(
  systemPrompt: string | undefined,
  tools: readonly Tool[] | undefined,
): SystemMessage | undefined {
  const hasTools = tools !== undefined && tools.length > 0;
  if (!systemPrompt && !hasTools) return undefined;
  const message: SystemMessage = { role: "system", content: systemPrompt ?? "", timestamp: 0 };
  if (hasTools) message.toolsAdded = [...tools];
  return message;
}

/** Moves `systemPrompt` and `tools` of a context into a leading system message. */
export function normalizeContext(context: Context): { messages: Message[] } {
  const first = createInitialSystemMessage(context.systemPrompt, context.tools);
  return { messages: first ? [first, ...context.messages] : context.messages };
}

const originals = new WeakMap<object, object>();

/** The message that a system message was copied from when its tool fields were rewritten; otherwise itself. */
export function originalOf<T extends object>(message: T): T {
  return (originals.get(message) as T | undefined) ?? message;
}

function withToolChanges(message: SystemMessage, changes: ToolChanges | undefined): SystemMessage {
  const { toolsAdded: _added, toolsRemoved: _removed, ...rest } = message;
  const copy: SystemMessage = { ...rest };
  if (changes && changes.toolsAdded.length > 0) copy.toolsAdded = changes.toolsAdded;
  if (changes && changes.toolsRemoved.length > 0) copy.toolsRemoved = changes.toolsRemoved;
  return copy;
}

/**
 * Declares to the model what has changed in the tools, so that replaying the transcript gives exactly `context.tools`.
 * For profiles with `systemMessages` only.
 *
 * The difference goes into the last system message among `pending`, whose own tool fields count as intent and are
 * replaced. Without one, a new system message is put before the first other message.
 *
 * Cost: one look at the role of each message, and per tool a comparison that is constant while schemas stay the same
 * objects.
 *
 * @param pending messages about to be added; not changed
 * @returns `pending` itself when there is nothing to declare
 */
export function declareToolChanges<TCustom extends CustomMessage>(
  context: AgentContext<TCustom>,
  pending: readonly AgentMessage<TCustom>[],
): readonly AgentMessage<TCustom>[] {
  const tools = declaredTools(context.messages);
  let carrierIndex = -1;
  let firstOther = -1;
  for (let i = 0; i < pending.length; i++) {
    // What is no message at all fails here, before a run has told of anything.
    if ((pending[i] as AgentMessage).role === "system") carrierIndex = i;
    else if (firstOther < 0) firstOther = i;
  }
  for (let i = 0; i < pending.length; i++) {
    const message = pending[i] as AgentMessage;
    if (i !== carrierIndex && isSystem(message)) replayTools(tools, message);
  }
  const changes = toolChanges(tools, context.tools ?? []);
  const carrier = pending[carrierIndex] as SystemMessage | undefined;
  if (carrier) {
    const hasToolFields = Boolean(carrier.toolsAdded?.length || carrier.toolsRemoved?.length);
    if (!changes && !hasToolFields) return pending;
    const copy = withToolChanges(carrier, changes);
    originals.set(copy, carrier);
    return pending.map((message, index) => (index === carrierIndex ? copy : message));
  }
  if (!changes) return pending;
  const update = withToolChanges({ role: "system", content: "", timestamp: Date.now() }, changes);
  const index = firstOther < 0 ? pending.length : firstOther;
  return [...pending.slice(0, index), update, ...pending.slice(index)];
}
