/**
 * One answer of the model, delivered: the partial enters the context, every event reaches the listeners, the final
 * message takes the partial's place. Deltas never leave JavaScript here.
 */
import { mergeIdentity } from "../identity.js";
import { isPumped, isUpdate, PUMP, type ResponseEvent } from "../stream/pump.js";
import type {
  AgentContext,
  AgentEvent,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStreamLike,
  Message,
  StreamFn,
} from "../types.js";
import { normalizeContext } from "../transcript.js";
import { isThenable } from "./describe.js";
import type { HostRun } from "./run.js";

/**
 * Ask and deliver. Rejects with whatever the stream function, the stream or a listener threw; what was delivered
 * stays delivered, and the partial stays in the context.
 */
export async function respond(
  run: HostRun,
  streamFn: StreamFn,
  context: AgentContext,
  messages: Message[],
  apiKey: string | undefined,
): Promise<AssistantMessage> {
  const { config, profile } = run;
  const request = profile.systemMessages
    ? normalizeContext({ messages, systemPrompt: run.systemPrompt })
    : { systemPrompt: context.systemPrompt, messages, tools: context.tools };
  const options = {
    ...config,
    apiKey,
    // Nobody is named whom the application has not named.
    ...(profile.identity && config.identity ? { identity: mergeIdentity(config.identity) } : {}),
    signal: run.signal,
  };
  const response = await streamFn(config.model, request, options);
  const delivery = new Delivery(run, context, response, config.reasoning ?? "off");
  if (isPumped(response)) {
    await response[PUMP]((event) => delivery.take(event));
  } else {
    for await (const event of response) {
      const waiting = delivery.take(event);
      if (waiting !== undefined) await waiting;
      if (delivery.final) break;
    }
  }
  return delivery.final ?? (await delivery.finish());
}

class Delivery {
  final: AssistantMessage | undefined;
  /** A `start` came; the message's place in the context is the last one. */
  #started = false;
  #partial: AssistantMessage | undefined;
  readonly #run: HostRun;
  readonly #context: AgentContext;
  readonly #response: AssistantMessageEventStreamLike;
  readonly #thinkingLevel: string;

  constructor(
    run: HostRun,
    context: AgentContext,
    response: AssistantMessageEventStreamLike,
    thinkingLevel: string,
  ) {
    this.#run = run;
    this.#context = context;
    this.#response = response;
    this.#thinkingLevel = thinkingLevel;
  }

  /** Deliver one event. `undefined`: go on at once; else wait for it first. */
  take(event: ResponseEvent): PromiseLike<unknown> | undefined {
    // Nobody listens after a crash; throwing lets go of the stream.
    if (this.#run.dead) throw new Error("the run is over");
    switch (event.type) {
      case "start":
        return this.#start(event.partial);
      case "done":
      case "error":
        return this.finish();
      case "request_retry":
        // The closed union of events does not know it; see RequestRetryEvent.
        return Promise.resolve(this.#run.emit(event as unknown as AgentEvent));
      default:
        return isUpdate(event) ? this.#update(event, event.partial) : undefined;
    }
  }

  #start(partial: AssistantMessage): PromiseLike<unknown> {
    this.#started = true;
    this.#partial = partial;
    this.#context.messages.push(partial);
    return Promise.resolve(this.#run.emit({ type: "message_start", message: { ...partial } }));
  }

  /** The hot path: one event object, one shallow copy, and no wait unless a listener asks for one. */
  #update(event: AssistantMessageEvent, partial: AssistantMessage): PromiseLike<unknown> | undefined {
    // A delta before `start` belongs to nothing.
    if (!this.#started) return undefined;
    if (this.#partial !== partial) {
      this.#partial = partial;
      const { messages } = this.#context;
      messages[messages.length - 1] = partial;
    }
    const waiting = this.#run.emit({
      type: "message_update",
      assistantMessageEvent: event,
      message: { ...partial },
    });
    return isThenable(waiting) ? waiting : undefined;
  }

  /** The stream is over: `result()` has the last word on the message. */
  async finish(): Promise<AssistantMessage> {
    const final = await this.#response.result();
    if (this.#run.profile.recordThinkingLevel) Object.assign(final, { thinkingLevel: this.#thinkingLevel });
    const { messages } = this.#context;
    if (!this.#started) {
      messages.push(final);
      await this.#run.emit({ type: "message_start", message: { ...final } });
    } else {
      messages[messages.length - 1] = final;
    }
    await this.#run.emit({ type: "message_end", message: final });
    this.final = final;
    return final;
  }
}
