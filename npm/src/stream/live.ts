/** The live message of a response: applies batches to it in place and makes the events on the way. */
import type { AgentErrorCode } from "../errors.js";
import type { AssistantMessage, AssistantMessageEvent, Model, ToolCall } from "../types.js";
import { pendingAnswer } from "../pending.js";
import { ArgumentsView } from "./arguments.js";
import { EMPTY_BATCH, KIND, RECORD, type WireBatch } from "./engine.js";

/** Text of every abort. */
export const ABORTED = "Request was aborted";

/** Members of the message that a batch may still add when the consumer wants no more events. */
const LATE_FIELDS = ["usage", "responseId", "responseModel"] as const;

/**
 * The message while it is received. Events come out one by one ({@link next}), so that the message is never ahead of
 * what was delivered; each event's `partial` is the message itself.
 */
export class LiveMessage {
  readonly message: AssistantMessage;
  /** A block has begun: from here on nothing may be repeated. */
  hasContent = false;
  #batch: WireBatch = EMPTY_BATCH;
  #at = 0;
  #started = false;
  /** Gets the data of each event of the provider, where they were asked for. It may end the message. */
  onProviderEvent: (data: string) => void = () => {};
  /** The terminal event was made. */
  #ended = false;
  readonly #calls: (ArgumentsView | undefined)[] = [];
  readonly #since: number;

  constructor(model: Model) {
    this.#since = performance.now();
    this.message = pendingAnswer(model);
  }

  /** Another model goes on in the same message. */
  become({ api, provider, id }: Model): void {
    Object.assign(this.message, { api, provider, model: id });
  }

  /** pi's own protocol says more in its events than the others do, and pi passes that on. */
  get #verbose(): boolean {
    return this.message.api === "pi-messages";
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Takes a batch. The one before must have been read to its end. */
  feed(batch: WireBatch): void {
    this.#batch = batch;
    this.#at = 0;
  }

  /** Applies records up to the next event; undefined at the end of the batch. */
  next(): AssistantMessageEvent | undefined {
    const { records, text } = this.#batch;
    while (this.#at < records.length && !this.#ended) {
      const at = this.#at;
      this.#at = at + RECORD;
      const start = records[at + 2] as number;
      const end = start + (records[at + 3] as number);
      const event = this.#record(
        records[at] as number,
        records[at + 1] as number,
        text.substring(start, end),
      );
      if (event !== undefined) return event;
    }
    return undefined;
  }

  /**
   * Ends the message before its time and gives the last event; undefined when it has ended already. Content stays, and
   * so do counts and ids that were received but not delivered.
   *
   * @param rest what the engine had to say at the end
   */
  end(code: AgentErrorCode, errorMessage: string, rest = EMPTY_BATCH): AssistantMessageEvent | undefined {
    if (this.#ended) return undefined;
    this.#lateFields(this.#batch, this.#at);
    this.#lateFields(rest, 0);
    this.#batch = EMPTY_BATCH;
    return this.reject(code, errorMessage);
  }

  /** Makes it a failed message, also when it was complete, and gives the last event. */
  reject(code: AgentErrorCode, errorMessage: string): AssistantMessageEvent {
    const { message } = this;
    const reason = code === "aborted" ? "aborted" : "error";
    message.stopReason = reason;
    message.errorMessage = errorMessage;
    message.diagnostics = [
      { type: "error", timestamp: Date.now(), code, error: { message: errorMessage, code } },
    ];
    return this.#terminal({ type: "error", reason, error: message });
  }

  #record(kind: number, index: number, text: string): AssistantMessageEvent | undefined {
    const partial = this.message;
    switch (kind) {
      case KIND.TEXT_DELTA: {
        const block = partial.content[index];
        if (block?.type !== "text") return undefined;
        block.text += text;
        return { type: "text_delta", contentIndex: index, delta: text, partial };
      }
      case KIND.THINKING_DELTA: {
        const block = partial.content[index];
        if (block?.type !== "thinking") return undefined;
        block.thinking += text;
        return { type: "thinking_delta", contentIndex: index, delta: text, partial };
      }
      case KIND.TOOLCALL_DELTA:
        return { type: "toolcall_delta", contentIndex: index, delta: text, partial };
      case KIND.START:
        // A repeated request goes on in the same message.
        if (this.#started) return undefined;
        this.#started = true;
        return { type: "start", partial };
      case KIND.TEXT_START:
        this.hasContent = true;
        partial.content.push({ type: "text", text: "" });
        return { type: "text_start", contentIndex: index, partial };
      case KIND.THINKING_START:
        this.hasContent = true;
        partial.content.push({ type: "thinking", thinking: "" });
        return { type: "thinking_start", contentIndex: index, partial };
      case KIND.TOOLCALL_START:
        return this.#openCall(index, text);
      case KIND.TEXT_END:
      case KIND.THINKING_END:
      case KIND.TOOLCALL_END:
        return this.#close(index);
      case KIND.DONE:
        return this.#terminal({ type: "done", reason: text as "stop", message: partial });
      case KIND.ERROR:
        return this.#terminal({ type: "error", reason: index === 1 ? "aborted" : "error", error: partial });
      default:
        this.#change(kind, index, text);
        return undefined;
    }
  }

  /** Records that change the message without an event of their own. */
  #change(kind: number, index: number, text: string): void {
    const block = this.message.content[index];
    switch (kind) {
      case KIND.FIELDS: {
        const fields = JSON.parse(text) as Partial<AssistantMessage>;
        for (const diagnostic of fields.diagnostics ?? []) diagnostic.timestamp = Date.now();
        Object.assign(this.message, fields);
        return;
      }
      case KIND.BLOCK_FIELDS:
        if (block !== undefined) Object.assign(block, JSON.parse(text));
        return;
      case KIND.PROVIDER_EVENT:
        this.onProviderEvent(text);
        return;
      case KIND.TEXT_SET:
        if (block?.type === "text") block.text = text;
        return;
      case KIND.THINKING_SET:
        if (block?.type === "thinking") block.thinking = text;
        return;
      default:
        this.#calls[index]?.apply(kind, text);
    }
  }

  #openCall(index: number, id: string): AssistantMessageEvent {
    this.hasContent = true;
    const toolName = this.#more();
    const call: ToolCall = { type: "toolCall", id, name: toolName, arguments: {} };
    this.message.content.push(call);
    this.#calls[index] = new ArgumentsView(call.arguments);
    const more = this.#verbose ? { id, toolName } : undefined;
    return { type: "toolcall_start", contentIndex: index, ...more, partial: this.message };
  }

  /** The second text of the record just read. */
  #more(): string {
    const { records, text } = this.#batch;
    if (records[this.#at] !== KIND.MORE) return "";
    const start = records[this.#at + 2] as number;
    const end = start + (records[this.#at + 3] as number);
    this.#at += RECORD;
    return text.substring(start, end);
  }

  #close(index: number): AssistantMessageEvent | undefined {
    const partial = this.message;
    const block = partial.content[index];
    switch (block?.type) {
      case "text":
        return {
          type: "text_end",
          contentIndex: index,
          content: block.text,
          ...this.#signed(block.textSignature),
          partial,
        };
      case "thinking":
        return {
          type: "thinking_end",
          contentIndex: index,
          content: block.thinking,
          ...this.#signed(block.thinkingSignature),
          partial,
        };
      case "toolCall":
        this.#calls[index] = undefined;
        return { type: "toolcall_end", contentIndex: index, toolCall: block, partial };
      default:
        return undefined;
    }
  }

  #signed(contentSignature: string | undefined): object | undefined {
    return this.#verbose && contentSignature !== undefined ? { contentSignature } : undefined;
  }

  /** What the rest of a batch says about the response as a whole. */
  #lateFields({ records, text }: WireBatch, from: number): void {
    for (let at = from; at < records.length; at += RECORD) {
      if (records[at] !== KIND.FIELDS) continue;
      const start = records[at + 2] as number;
      const end = start + (records[at + 3] as number);
      const fields = JSON.parse(text.substring(start, end)) as Partial<AssistantMessage>;
      for (const name of LATE_FIELDS) {
        if (fields[name] !== undefined) Object.assign(this.message, { [name]: fields[name] });
      }
    }
  }

  #terminal(event: AssistantMessageEvent): AssistantMessageEvent {
    this.#ended = true;
    this.message.durationMs = Math.max(0, Math.round(performance.now() - this.#since));
    return event;
  }
}
