/** The messages of a session in the form that a request needs. The session itself is not changed. */
import { isAnswer, roleOf } from "../answers.js";
import type { AgentMessage, Message, ToolResultMessage } from "../types.js";
import { convertToLlm } from "./tree.js";

/** What the model reads of a call whose result nobody knows. */
const NO_RESULT = "The run was interrupted, and the result of this call is not known.";

const FAILED = new Set(["error", "aborted", "deferred"]);

/**
 * Leaves out answers that failed, and makes calls and results match: a call without a result gets one that says so, a
 * result without a call is left out, and what stands between them comes after the results.
 *
 * @returns `messages` itself where nothing had to be done
 */
export function mended(messages: AgentMessage[]): AgentMessage[] {
  const out: AgentMessage[] = [];
  let open = new Map<string, ToolResultMessage>();
  /** What came between calls and their results. */
  const held: AgentMessage[] = [];
  let changed = false;
  const close = () => {
    if (open.size > 0) changed = true;
    out.push(...open.values(), ...held.splice(0));
    open = new Map();
  };
  for (const message of messages) {
    if (roleOf(message) === "toolResult") {
      const isOpen = open.delete((message as ToolResultMessage).toolCallId);
      if (isOpen) out.push(message);
      if (!isOpen || held.length > 0) changed = true;
      if (open.size === 0) close();
    } else if (!isAnswer(message)) (open.size > 0 ? held : out).push(message);
    else {
      close();
      if (FAILED.has(message.stopReason)) changed = true;
      else {
        open = callsOf(message);
        out.push(message);
      }
    }
  }
  close();
  return changed ? out : messages;
}

function callsOf({
  content,
  timestamp,
}: Extract<Message, { role: "assistant" }>): Map<string, ToolResultMessage> {
  const calls = new Map<string, ToolResultMessage>();
  for (const block of content ?? []) {
    if (block?.type !== "toolCall") continue;
    calls.set(block.id, {
      ...{ role: "toolResult", toolCallId: block.id, toolName: block.name, isError: true, timestamp },
      content: [{ type: "text", text: NO_RESULT }],
    });
  }
  return calls;
}

const forms = new WeakMap<AgentMessage, Message[]>();

/** Summaries, commands and messages in pi's form of the application become user messages; all others stay themselves. */
export function forModel(messages: AgentMessage[]): AgentMessage[] {
  return messages.some(isOurs)
    ? messages.flatMap((message) => (isOurs(message) ? formOf(message) : message))
    : messages;
}

function formOf(message: AgentMessage): Message[] {
  let form = forms.get(message);
  if (!form) {
    form = convertToLlm([message]);
    forms.set(message, form);
  }
  return form;
}

function isOurs(message: { readonly role: string; readonly customType?: unknown }): boolean {
  const role = roleOf(message);
  if (role === "custom") return typeof message.customType === "string";
  return role === "compactionSummary" || role === "branchSummary" || role === "bashExecution";
}
