/** Messages of an agent as entries, and entries as messages of an agent. */
import { isAnswer } from "../answers.js";
import type { AgentMessage, Model, SystemMessage, Usage } from "../types.js";
import { uuid } from "./call.js";
import type { StoreWrite } from "./store.js";
import type { SessionTree } from "./tree.js";
import type { SessionContent } from "./types.js";

/** What pi calls a message of the application. */
interface PiCustomMessage {
  role: string;
  customType?: unknown;
  content?: SessionContent;
  display?: boolean;
  details?: unknown;
}

/** Adds a message; gives the id of its entry. */
export function appendMessage(tree: SessionTree, message: AgentMessage): string {
  const { role, customType, content = [], display = true, details } = message as PiCustomMessage;
  return role === "custom" && typeof customType === "string"
    ? tree.appendCustomMessageEntry(customType, content, display, details)
    : tree.appendMessage(message);
}

/** A message without what only the application reads of it. `undefined`: there is nothing of the kind. */
export function withoutDetails(message: AgentMessage): AgentMessage | undefined {
  const { details, ...rest } = message as PiCustomMessage;
  return details === undefined ? undefined : (rest as AgentMessage);
}

/** The row of usage that is stored with an answer. */
export function usageOf(message: AgentMessage): StoreWrite[] {
  if (!isAnswer(message)) return [];
  const { usage, provider, model: id } = message;
  return usageRow("message", usage, { provider, id });
}

/** A row of usage: of an answer, or of a summary that `model` was asked for. */
export function usageRow(
  kind: string,
  usage: Usage | undefined,
  { provider, id }: Pick<Model, "provider" | "id">,
): StoreWrite[] {
  return usage ? [{ kind: "usage", row: { id: uuid(), kind, provider, model: id, usage } }] : [];
}

/** The same conversation under the instructions that the application gives now. Tools declare themselves. */
export function withPrompt(messages: AgentMessage[], own: SystemMessage | undefined): AgentMessage[] {
  if (!own) return messages;
  const [first, ...others] = messages;
  if (first?.role !== "system") return [own, ...messages];
  const { sections: _, ...rest } = first as SystemMessage;
  const { content, sections } = own;
  return [{ ...rest, content, ...(sections ? { sections } : {}) }, ...others];
}
