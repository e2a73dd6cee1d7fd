import type { AgentMessage, CustomMessage, ImageContent, TextContent } from "./types.js";

/** Text, or a message. */
export type OneInput<TCustom extends CustomMessage = never> = string | AgentMessage<TCustom>;

/** What `prompt()` takes: text, one message, or several. */
export type PromptInput<TCustom extends CustomMessage = never> =
  | OneInput<TCustom>
  | readonly AgentMessage<TCustom>[];

/** Options of one run. */
export interface RunOptions {
  /** The form of the answers of this run; see `StreamOptions.responseSchema`. */
  responseSchema?: object | undefined;
}

/** Options of one prompt. */
export interface PromptOptions extends RunOptions {
  /** Added to a text. */
  images?: readonly ImageContent[] | undefined;
}

/** The options of a prompt; a list is a list of images, as in pi. */
export const promptOptions = (
  given: readonly ImageContent[] | PromptOptions | null | undefined,
): PromptOptions =>
  isList(given as ImageContent)
    ? { images: given as readonly ImageContent[] }
    : ((given as PromptOptions | null) ?? {});

/** The messages of a prompt. Messages are taken as they are, the array too. */
export function promptMessages<TCustom extends CustomMessage>(
  input: PromptInput<TCustom>,
  images: readonly ImageContent[] | undefined,
): readonly AgentMessage<TCustom>[] {
  if (typeof input === "string") return [userMessage(input, images)];
  return isList(input) ? input : [input];
}

/** The message of a prompt that may only be one. */
export function oneMessage<TCustom extends CustomMessage>(
  input: OneInput<TCustom>,
  images?: readonly ImageContent[],
): AgentMessage<TCustom> {
  return typeof input === "string" ? userMessage(input, images) : input;
}

/** A user message of the present moment. */
export function userMessage(text: string, images: readonly ImageContent[] = []): AgentMessage {
  const content: (TextContent | ImageContent)[] = [{ type: "text", text }, ...images];
  return { role: "user", content, timestamp: Date.now() };
}

// `Array.isArray` alone does not narrow readonly arrays.
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
