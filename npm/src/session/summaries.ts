/** Asking a model for a summary. */
import { after } from "../clock.js";
import { isRetryable } from "../engine/wires.js";
import { AgentError } from "../errors.js";
import type {
  AgentMessage,
  AssistantMessage,
  Model,
  SimpleStreamOptions,
  StreamFn,
  Usage,
} from "../types.js";
import { totalUsage } from "../usage.js";
import { call, SessionError, uuid } from "./call.js";
import { hidden, withoutKeys } from "./failed.js";
import { given } from "./given.js";
import { textOf } from "./recorder.js";
import { answerLimit, oldestPart, type Requests, requestsFor, tokensOf } from "./parts.js";
import type { SummaryEvent } from "./session-events.js";
import type { CompactionPreparation, FileLists } from "./types.js";

/** How a summary is asked for. */
export interface SummaryOptions {
  /** The model that summarises; it need not be the one of the conversation. */
  model: Model;
  streamFn: StreamFn;
  /** What the summary should look at. */
  customInstructions?: string | undefined;
  /** The thinking level, for models that reason. */
  thinkingLevel?: string | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Further options of the requests, such as `apiKey`. `maxRetries` (default 0) and `maxRetryDelayMs` count for every
   * stream function: a request that failed in a way that may pass by itself is made again.
   */
  options?: SimpleStreamOptions | undefined;
  /** Told of the text as it comes, and of requests that are made again. */
  onEvent?: ((event: SummaryEvent) => void) | undefined;
}

/** A summary. */
export interface Summary {
  summary: string;
  /** What it cost. */
  usage: Usage;
  details: FileLists;
}

/**
 * Asks for the summary of a compaction, with one request, or two where the cut goes through a turn, one after the other.
 * What is too long for the model is summarised in parts. Stores nothing.
 *
 * @throws AgentError `aborted`, or `protocol` when the answer is cut, empty, calls a tool or failed
 */
export async function summarize(
  preparation: CompactionPreparation,
  options: SummaryOptions,
): Promise<Summary> {
  given(given(options, "options").model, "options.model");
  given(preparation, "preparation");
  const focus = options.customInstructions;
  const usages: Usage[] = [];
  let ready = preparation;
  for (let next = oldestPart(ready, focus, options.model); next; ) {
    const [previousSummary = ""] = await answersTo(requestsFor(next.part, focus), options, usages);
    ready = { ...next.rest, previousSummary };
    next = oldestPart(ready, focus, options.model);
  }
  const answers = await answersTo(requestsFor(ready, focus), options, usages);
  const made = call<Omit<Summary, "usage">>(undefined, { op: "summary", preparation: ready, answers });
  return { ...made, usage: totalUsage(usages) };
}

/**
 * Asks for the summary of a branch that is left (`SessionTree.branchWithSummary` stores it).
 *
 * @throws AgentError as {@link summarize}
 */
export async function summarizeBranch(
  part: FileLists & { messages: AgentMessage[] },
  options: SummaryOptions & { replaceInstructions?: boolean },
): Promise<Summary> {
  const { readFiles, modifiedFiles, messages } = given(part, "part");
  given(given(options, "options").model, "options.model");
  given(messages, "part.messages", "array");
  const files = { readFiles, modifiedFiles };
  const asked = {
    ...{ op: "branchRequest", messages, focus: options.customInstructions },
    replace: options.replaceInstructions ?? false,
  };
  const requests =
    messages.length > 0 ? call<Requests>(undefined, asked) : { systemPrompt: "", requests: [] };
  const usages: Usage[] = [];
  const [answer] = await answersTo(requests, options, usages);
  const made = call<Omit<Summary, "usage">>(undefined, { op: "branchText", ...files, answer });
  return { ...made, usage: totalUsage(usages) };
}

const REFUSED: Record<string, string> = {
  cut: "it was cut by its length",
  tool_call: "it calls a tool",
  empty: "it is empty",
};

/** One request after the other: a server may have room for one alone. */
async function answersTo(
  { systemPrompt, requests }: Requests,
  options: SummaryOptions,
  usages: Usage[],
): Promise<string[]> {
  const answers: string[] = [];
  for (const content of requests) {
    const message = await answerTo(systemPrompt, content, options);
    answers.push(accepted(message, options.signal));
    usages.push(message.usage);
  }
  return answers;
}

/** An answer, asked for again when it failed in a way that may pass by itself. */
async function answerTo(
  systemPrompt: string,
  content: string,
  options: SummaryOptions,
): Promise<AssistantMessage> {
  const { signal, onEvent } = options;
  const { maxRetries: max = 0, maxRetryDelayMs = 60_000 } = options.options ?? {};
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) onEvent?.({ type: "summary_retry_start", attempt });
    const message = await withoutKey(options, () => once(systemPrompt, content, options));
    const again = attempt < max && !signal?.aborted && isRetryable(message);
    if (attempt > 0 && !again)
      onEvent?.({ type: "summary_retry_end", attempt, success: message.stopReason !== "error" });
    if (!again) return message;
    const pause = Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE);
    const delayMs = maxRetryDelayMs > 0 ? Math.min(pause, maxRetryDelayMs) : pause;
    const error = message.errorMessage ?? "the request failed";
    onEvent?.({ type: "summary_retry_scheduled", attempt: attempt + 1, max, delayMs, error });
    await waited(delayMs, signal);
  }
}

/** A stream function of the application may quote the key in what it says of a failure. */
async function withoutKey(
  { options }: SummaryOptions,
  ask: () => Promise<AssistantMessage>,
): Promise<AssistantMessage> {
  const keys = [options?.apiKey ?? ""];
  try {
    return withoutKeys(await ask(), keys);
  } catch (thrown) {
    const text = textOf(thrown);
    const safe = hidden(text, keys);
    throw safe === text ? thrown : new AgentError("internal", safe);
  }
}

/** Milliseconds before a request is made again, doubled each time. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, done);
    signal?.addEventListener("abort", done);
    function done(): void {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    }
    if (signal?.aborted) done();
  });
}

async function once(
  systemPrompt: string,
  content: string,
  { model, streamFn, thinkingLevel, signal, options, onEvent }: SummaryOptions,
): Promise<AssistantMessage> {
  const reasons = model.reasoning && thinkingLevel && thinkingLevel !== "off";
  const maxTokens = answerLimit(model, tokensOf(systemPrompt, content));
  const stream = await streamFn(
    model,
    { systemPrompt, messages: [{ role: "user", content, timestamp: Date.now() }] },
    {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...options,
      // A conversation of its own: nothing of it is worth keeping, and it must not disturb the cache of the other.
      ...{ cacheRetention: "none", sessionId: uuid(), signal, maxRetries: 0 },
      ...(reasons ? { reasoning: thinkingLevel as NonNullable<SimpleStreamOptions["reasoning"]> } : {}),
    },
  );
  if (onEvent) {
    for await (const event of stream)
      if (event.type === "text_delta") onEvent({ type: "summary_delta", text: event.delta });
  }
  return stream.result();
}

function accepted(message: AssistantMessage, signal: AbortSignal | undefined): string {
  if (signal?.aborted) throw new AgentError("aborted", "The summary was stopped.");
  try {
    return call(undefined, { op: "answer", message });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    if (error.code === "aborted")
      throw new AgentError("aborted", "The summary was stopped.", { cause: error });
    const why = REFUSED[error.code] ?? message.errorMessage ?? "the request failed";
    const code = message.diagnostics?.[0]?.code ?? "protocol";
    throw new AgentError(code, `The answer is no summary: ${why}.`, { cause: error });
  }
}
