import { describe } from "../engine/describe.js";
import { AgentError, isThrown } from "../errors.js";
import { type AssistantMessageEventStream, createAssistantMessageEventStream } from "../event-stream.js";
import { pendingAnswer } from "../pending.js";
import type { AssistantMessage, JsonObject, Model, ToolCall } from "../types.js";

/** Token counts of one answer. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead?: number;
}

/**
 * Writes one answer as the events that a stream function delivers: text, thinking and tool calls in any order, then
 * `finish` or `fail`, of which the first counts. Blocks open and close by themselves.
 */
export class Reply {
  readonly stream: AssistantMessageEventStream = createAssistantMessageEventStream();
  private readonly message: AssistantMessage;
  private open: "text" | "thinking" | "toolCall" | undefined;
  private argumentsText = "";
  private ended = false;

  constructor(model: Model) {
    this.message = pendingAnswer(model);
    this.stream.push({ type: "start", partial: this.message });
  }

  text(delta: string): void {
    if (this.open !== "text") {
      this.close();
      this.open = "text";
      const contentIndex = this.message.content.push({ type: "text", text: "" }) - 1;
      this.stream.push({ type: "text_start", contentIndex, partial: this.message });
    }
    const block = this.message.content.at(-1);
    if (block?.type === "text") block.text += delta;
    this.stream.push({ type: "text_delta", contentIndex: this.index, delta, partial: this.message });
  }

  thinking(delta: string): void {
    if (this.open !== "thinking") {
      this.close();
      this.open = "thinking";
      const contentIndex = this.message.content.push({ type: "thinking", thinking: "" }) - 1;
      this.stream.push({ type: "thinking_start", contentIndex, partial: this.message });
    }
    const block = this.message.content.at(-1);
    if (block?.type === "thinking") block.thinking += delta;
    this.stream.push({ type: "thinking_delta", contentIndex: this.index, delta, partial: this.message });
  }

  /** Begins a tool call; its arguments follow as pieces of JSON. */
  call(id: string, name: string): void {
    this.close();
    this.open = "toolCall";
    this.argumentsText = "";
    const contentIndex = this.message.content.push({ type: "toolCall", id, name, arguments: {} }) - 1;
    this.stream.push({ type: "toolcall_start", contentIndex, partial: this.message });
  }

  callArguments(delta: string): void {
    this.argumentsText += delta;
    this.stream.push({ type: "toolcall_delta", contentIndex: this.index, delta, partial: this.message });
  }

  /** @param cut the answer reached its length limit */
  finish(tokens?: Tokens, cut = false): void {
    if (this.ended) return;
    this.close();
    this.ended = true;
    const calls = this.message.content.some((block) => block.type === "toolCall");
    const reason = cut ? "length" : calls ? "toolUse" : "stop";
    this.message.stopReason = reason;
    if (tokens) {
      const { input, output, cacheRead = 0 } = tokens;
      Object.assign(this.message.usage, {
        input,
        output,
        cacheRead,
        totalTokens: input + output + cacheRead,
      });
    }
    this.stream.push({ type: "done", reason, message: this.message });
  }

  /** Ends the answer with what was thrown; what has come so far stays. */
  fail(thrown: unknown, aborted = false): void {
    if (this.ended) return;
    this.ended = true;
    const reason = aborted ? "aborted" : "error";
    const message = aborted ? ABORTED : describe(thrown);
    const code = aborted ? "aborted" : isThrown(thrown, AgentError) ? thrown.code : "internal";
    this.message.stopReason = reason;
    this.message.errorMessage = message;
    this.message.diagnostics = [{ type: "error", timestamp: Date.now(), code, error: { message, code } }];
    this.stream.push({ type: "error", reason, error: this.message });
  }

  private get index(): number {
    return this.message.content.length - 1;
  }

  private close(): void {
    const block = this.message.content.at(-1);
    const position = { contentIndex: this.index, partial: this.message };
    if (this.open === "text" && block?.type === "text") {
      this.stream.push({ type: "text_end", content: block.text, ...position });
    } else if (this.open === "thinking" && block?.type === "thinking") {
      this.stream.push({ type: "thinking_end", content: block.thinking, ...position });
    } else if (this.open === "toolCall" && block?.type === "toolCall") {
      readArguments(block, this.argumentsText);
      this.stream.push({ type: "toolcall_end", toolCall: block, ...position });
    }
    this.open = undefined;
  }
}

/** Text of every abort. */
const ABORTED = "Request was aborted";

function readArguments(call: ToolCall, text: string): void {
  try {
    call.arguments = JSON.parse(text.trim() === "" ? "{}" : text) as JsonObject;
  } catch (error) {
    // The call then fails with this text, and the model reads it.
    call.argumentsError = `The arguments are not valid JSON: ${error instanceof Error ? error.message : text}`;
  }
}
