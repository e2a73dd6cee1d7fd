/** What goes into the engine for a request, and the body that comes out of it. */
import { hasFailed, isAnswer } from "../answers.js";
import { toToolDeclaration } from "../declarations.js";
import { AgentError } from "../errors.js";
import { attributed } from "../identity.js";
import { isJson, toJson } from "../json.js";
import { isStandardSchema, jsonSchemaOf } from "../schema.js";
import type { Context, ImageContent, Message, Model, SimpleStreamOptions, Tool } from "../types.js";

/** The options that shape a request. */
const NAMES = [
  "apiKey",
  "temperature",
  "maxTokens",
  "reasoning",
  "thinkingBudgets",
  "toolChoice",
  "sessionId",
  "cacheRetention",
  "metadata",
  "samplingParams",
] as const satisfies readonly (keyof SimpleStreamOptions)[];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * A request with a transcript as JSON. What an application keeps in its messages and is no JSON (a tool's `details` with
 * a BigInt or a cycle) stays out: else it would fail every request from then on.
 *
 * @param form makes of the messages of the context what is sent
 * @throws AgentError `invalid_request` when something that the model is told cannot be written, the first time
 */
export function transcriptToJson(
  { systemPrompt, tools, messages, ...rest }: Context,
  form: (messages: readonly Message[]) => Message[],
  request: (context: object) => object,
): string {
  const context = { ...rest, systemPrompt, tools: tools?.map(told) };
  try {
    return JSON.stringify(request({ ...context, messages: messages && form(messages) }));
  } catch {
    // Says which tool it is.
    tools?.filter((tool) => !isJson(() => tool)).forEach(toToolDeclaration);
    return toJson(request({ ...context, messages: form(messages.map(writable)) }), "The request");
  }
}

/** A schema that validates by itself is no JSON Schema yet. */
const told = (tool: Tool): Tool => (isStandardSchema(tool?.parameters) ? toToolDeclaration(tool) : tool);

/** Messages that a request met which could not be written. */
const met = new WeakSet<Message>();

/**
 * A message without the members that cannot be written. A content stays in the first request that meets it, which fails
 * and says why; later ones go without it.
 */
function writable(message: Message): Message {
  if (isJson(() => message)) return message;
  const names = Object.keys(message) as (keyof Message)[];
  const known = met.has(message);
  met.add(message);
  const kept = names.filter((name) => (name === "content" && !known) || isJson(() => message[name]));
  return Object.fromEntries(kept.map((name) => [name, message[name]])) as unknown as Message;
}

/**
 * A request's input as the engine reads it.
 *
 * @throws AgentError `invalid_request` when something in it cannot be written as JSON
 */
export function requestInput(model: Model, context: Context, options: SimpleStreamOptions): string {
  const shaping: { [name: string]: unknown } = {};
  for (const name of NAMES) if (options[name] !== undefined) shaping[name] = options[name];
  shaping["headers"] = attributed(model, options);
  if (options.onProviderStreamEvent !== undefined) shaping["echo"] = true;
  if (options.responseSchema !== undefined) shaping["responseSchema"] = jsonSchemaOf(options.responseSchema);
  const form = model.api === "pi-messages" ? withBareImages : whatCounts;
  return transcriptToJson(context, form, (told) => ({ model, context: told, options: shaping }));
}

/** What stands before the bytes of an image that is a whole `data:` URL. */
const URL_HEAD = /^data:([^;,]*)[^,]*;base64,/;

/** Messages as servers take them: images are base64 alone. */
export const withBareImages = (messages: readonly Message[]): Message[] =>
  messages.map((message) => {
    const content = message?.content as ImageContent[] | undefined;
    return Array.isArray(content) && content.some(headOf)
      ? ({ ...message, content: content.map(bare) } as Message)
      : message;
  });

const headOf = (block: ImageContent) => typeof block?.data === "string" && URL_HEAD.exec(block.data);

function bare(block: ImageContent): ImageContent {
  const head = headOf(block);
  return head
    ? { ...block, data: block.data.slice(head[0].length), mimeType: head[1] || block.mimeType }
    : block;
}

/**
 * Messages for all but pi's own protocol, where everything is sent along: without the `details` of the application, which may
 * be long, and without usage before the last good answer, whose own stands for all before it (wire/src/estimate.rs).
 */
function whatCounts(messages: readonly Message[]): Message[] {
  let newest = 0;
  let counted = 0;
  messages.forEach((message, i) => {
    if (!(message?.timestamp >= newest)) return;
    newest = message.timestamp;
    if (isAnswer(message) && !hasFailed(message) && message.usage?.totalTokens > 0) counted = i;
  });
  return withBareImages(messages).map((message, i) => {
    if (message?.role === "toolResult" && message.details !== undefined)
      return { ...message, details: undefined };
    return i < counted && isAnswer(message)
      ? ({ ...message, usage: undefined } as unknown as Message)
      : message;
  });
}

/** Lets the caller see the body; gives what is sent: what they return, or the object they saw. */
export async function reviewBody(
  body: Uint8Array<ArrayBuffer>,
  model: Model,
  review: NonNullable<SimpleStreamOptions["onPayload"]>,
): Promise<Uint8Array<ArrayBuffer>> {
  const payload: unknown = JSON.parse(decoder.decode(body));
  const replaced = await review(payload, model);
  return encoder.encode(JSON.stringify(replaced === undefined ? payload : replaced));
}

/**
 * A model must be there, with a name and an address.
 *
 * @throws AgentError `invalid_request`
 */
export function requireModel(model: Model | undefined): void {
  // `unknown`: the model of an agent that was given none.
  if (!model || model.api === "unknown") {
    throw new AgentError(
      "invalid_request",
      "No model: set initialState.model or agent.state.model (getModel gives undefined for what is not in the catalogue)",
    );
  }
  for (const name of ["id", "baseUrl"] as const) {
    if (model[name] === undefined || model[name] === null) {
      throw new AgentError(
        "invalid_request",
        `The model ${name === "id" ? "" : `"${model.id}" `}has no ${name}`,
      );
    }
  }
}

/**
 * A key, or a header in its place, must be there.
 *
 * @throws AgentError `auth`
 */
export function requireKey(model: Model, options: SimpleStreamOptions): void {
  if (options.apiKey) return;
  for (const headers of [options.headers, model.headers]) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (AUTH_HEADERS.has(name.toLowerCase()) && value && value.trim() !== "") return;
    }
  }
  throw new AgentError("auth", `No API key for provider: ${model.provider}`);
}

/** Headers without those that hold a key: a key is for one provider only. */
export function withoutKeys(headers: SimpleStreamOptions["headers"]): SimpleStreamOptions["headers"] {
  const entries = Object.entries(headers ?? {}).filter(([name]) => !AUTH_HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(entries);
}

const AUTH_HEADERS = new Set([
  "authorization",
  "cf-aig-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
]);
