/** A stored session as the events that told of it, with no model. */
import { after } from "../clock.js";
import { EventStream } from "../event-stream.js";
import type {
  AgentEvent,
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  ToolCall,
  ToolResultMessage,
} from "../types.js";
import { SessionError } from "./call.js";
import { given, givenTree } from "./given.js";
import type { SessionTree } from "./tree.js";
import type { SessionEntry } from "./types.js";

/** How a session is played. */
export interface ReplayOptions {
  /** Characters per second. Default 0: all at once. */
  speed?: number | undefined;
  /** Ends the playing; no further events come. */
  signal?: AbortSignal | undefined;
  /** The entry to begin with. Default: the root of the branch. */
  from?: string | undefined;
  /** The last entry, and the branch it is on. Default: the leaf. */
  to?: string | undefined;
  /** How the tools of a turn ran, which a session does not tell. Default `parallel`. */
  toolExecution?: "parallel" | "sequential" | undefined;
}

/** So often something appears, in milliseconds. */
const TICK_MS = 40;

/**
 * Plays a branch as the events of an agent, for a user interface or a test that is written for them. `result()` gives the
 * messages that were played. A session does not tell where runs ended: a user message after an answer that called no tool
 * begins a new one. Settings, summaries and data of the application have no events.
 *
 * @throws SessionError `unknown_entry`, `not_on_branch`
 */
export function replay(
  tree: SessionTree,
  options: ReplayOptions = {},
): EventStream<AgentEvent, AgentMessage[]> {
  const { speed = 0, signal, from, to } = given(options, "options");
  const branch = givenTree(tree).getBranch(to);
  const start = from === undefined ? 0 : branch.findIndex(({ id }) => id === from);
  if (start < 0) throw new SessionError("not_on_branch");
  const messages = branch.slice(start).flatMap(messageOf);
  const step = speed > 0 ? Math.max(1, Math.round((speed * TICK_MS) / 1000)) : Number.POSITIVE_INFINITY;
  const stream = new EventStream<AgentEvent, AgentMessage[]>(
    () => false,
    () => [],
  );
  void play(stream, eventsOf(messages, step, options.toolExecution === "sequential"), speed, signal);
  return stream;
}

async function play(
  stream: EventStream<AgentEvent, AgentMessage[]>,
  events: Iterable<AgentEvent>,
  speed: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const played: AgentMessage[] = [];
  try {
    for (const event of events) {
      if (signal?.aborted) break;
      if (event.type === "message_end") played.push(event.message);
      stream.push(event);
      const delta = event.type === "message_update" ? event.assistantMessageEvent : undefined;
      if (speed > 0 && delta && "delta" in delta) await pause((delta.delta.length * 1000) / speed, signal);
    }
    stream.end(played);
  } catch (thrown) {
    // A session of another program may hold messages that are none.
    stream.fail(thrown);
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      done();
    };
    const cancel = after(ms, end);
    signal?.addEventListener("abort", end);
  });
}

/** The message of an entry, where it has one that an agent would tell of. */
function messageOf(entry: SessionEntry): AgentMessage[] {
  if (entry.type === "message") {
    const { message } = entry as { message?: AgentMessage };
    return message && typeof message.role === "string" ? [message] : [];
  }
  if (entry.type !== "custom_message") return [];
  const { customType, content, display, details, timestamp } = entry as SessionEntry &
    Record<string, unknown>;
  const custom = { role: "custom", customType, content, display, details, timestamp: Date.parse(timestamp) };
  return [custom as unknown as AgentMessage];
}

/** What is open while messages are played. */
interface Turn {
  answer?: AssistantMessage;
  results: ToolResultMessage[];
}

function* eventsOf(
  messages: readonly AgentMessage[],
  step: number,
  oneByOne: boolean,
): Generator<AgentEvent> {
  let added: AgentMessage[] | undefined;
  let turn: Turn | undefined;
  function* end(run: boolean): Generator<AgentEvent> {
    if (turn?.answer) yield { type: "turn_end", message: turn.answer, toolResults: turn.results };
    turn = undefined;
    if (!run || !added) return;
    yield { type: "agent_end", messages: added };
    added = undefined;
  }
  for (let place = 0; place < messages.length; place++) {
    const message = messages[place] as AgentMessage;
    // The instructions that an agent begins with are there before its first run.
    if (message.role === "system" && place === 0) continue;
    // After an answer without calls a run is over, unless it is asked to go on.
    if (turn?.answer && message.role !== "toolResult") yield* end(turn.results.length === 0);
    if (!added) {
      added = [];
      yield { type: "agent_start" };
    }
    if (!turn) {
      turn = { results: [] };
      yield { type: "turn_start" };
    }
    added.push(message);
    if (message.role !== "assistant") {
      yield { type: "message_start", message };
      yield { type: "message_end", message };
      continue;
    }
    const answer = message as AssistantMessage;
    turn.answer = answer;
    yield* answering(answer, step);
    while (messages[place + 1]?.role === "toolResult")
      turn.results.push(messages[++place] as ToolResultMessage);
    added.push(...turn.results);
    yield* executions(answer, turn.results, oneByOne);
  }
  yield* end(true);
}

/** An answer that arrives. */
function* answering(message: AssistantMessage, step: number): Generator<AgentEvent> {
  const partial: AssistantMessage = { ...message, content: [], stopReason: "pending" };
  yield { type: "message_start", message: { ...partial } };
  const update = (event: AssistantMessageEvent): AgentEvent => ({
    type: "message_update",
    message: { ...partial },
    assistantMessageEvent: event,
  });
  const blocks = Array.isArray(message.content) ? message.content : [];
  for (const [contentIndex, block] of blocks.entries()) {
    const at = { contentIndex, partial };
    const before = partial.content;
    const so = (now: AssistantMessage["content"][number]) => {
      partial.content = [...before, now];
    };
    if (block?.type === "text") {
      so({ type: "text", text: "" });
      yield update({ type: "text_start", ...at });
      for (const [delta, text] of pieces(block.text, step)) {
        so({ type: "text", text });
        yield update({ type: "text_delta", delta, ...at });
      }
      so(block);
      yield update({ type: "text_end", content: block.text, ...at });
    } else if (block?.type === "thinking") {
      so({ type: "thinking", thinking: "" });
      yield update({ type: "thinking_start", ...at });
      for (const [delta, thinking] of pieces(block.thinking, step)) {
        so({ type: "thinking", thinking });
        yield update({ type: "thinking_delta", delta, ...at });
      }
      so(block);
      yield update({ type: "thinking_end", content: block.thinking, ...at });
    } else if (block?.type !== "toolCall") so(block);
    else {
      so({ ...block, arguments: {} });
      yield update({ type: "toolcall_start", ...at });
      for (const [delta] of pieces(block.argumentsText ?? JSON.stringify(block.arguments) ?? "", step))
        yield update({ type: "toolcall_delta", delta, ...at });
      so(block);
      yield update({ type: "toolcall_end", toolCall: block, ...at });
    }
  }
  yield { type: "message_end", message };
}

/** A text in pieces of about so many characters, each with the text up to its end. No letter is cut in two. */
function* pieces(text: string, step: number): Generator<[piece: string, sofar: string]> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + step);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    yield [text.slice(start, end), text.slice(0, end)];
    start = end;
  }
}

/** The tools of a turn run, and give their results. */
function* executions(
  { content }: AssistantMessage,
  results: readonly ToolResultMessage[],
  oneByOne: boolean,
): Generator<AgentEvent> {
  const calls = new Map<string, ToolCall>();
  for (const block of Array.isArray(content) ? content : [])
    if (block?.type === "toolCall") calls.set(block.id, block);
  const start = ({ toolCallId, toolName }: ToolResultMessage): AgentEvent => ({
    ...{ type: "tool_execution_start", toolCallId, toolName },
    args: calls.get(toolCallId)?.arguments ?? {},
  });
  const end = ({
    toolCallId,
    toolName,
    isError,
    durationMs,
    content,
    details,
  }: ToolResultMessage): AgentEvent => ({
    ...{ type: "tool_execution_end", toolCallId, toolName, result: { content, details }, isError },
    ...(durationMs === undefined ? {} : { durationMs }),
  });
  function* told(message: ToolResultMessage): Generator<AgentEvent> {
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
  if (oneByOne)
    for (const result of results) {
      yield start(result);
      yield end(result);
      yield* told(result);
    }
  else {
    yield* results.map(start);
    yield* results.map(end);
    for (const result of results) yield* told(result);
  }
}
