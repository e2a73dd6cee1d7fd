/** Compaction: how large a context is, what of it becomes a summary, and asking a model for that. */
import { AgentError } from "../errors.js";
import type {
  AgentMessage,
  AssistantMessage,
  Model,
  SimpleStreamOptions,
  StreamFn,
  Usage,
} from "../types.js";
import { call, SessionError, uuid } from "./call.js";
import type { SessionTree } from "./tree.js";
import type {
  CompactionPreparation,
  CompactionSettings,
  ContextSize,
  FileAccess,
  FileLists,
  SessionEntry,
} from "./types.js";

/** What is used where the settings do not say. */
export const DEFAULT_COMPACTION_SETTINGS: Required<CompactionSettings> = {
  enabled: true,
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
};

/** An estimate of the tokens of a message: one for every four characters. */
export function estimateTokens(message: AgentMessage): number {
  return call(undefined, { op: "estimate", message });
}

/** The tokens of a context by what an answer reports. */
export function calculateContextTokens(usage: Usage): number {
  return call(undefined, { op: "usageTokens", usage });
}

/** The size of a list of messages: what the last good answer counted, and an estimate of what came after it. */
export function estimateContextTokens(messages: readonly AgentMessage[]): ContextSize {
  return call(undefined, { op: "messagesSize", messages });
}

/** Whether a context is so large that it should be compacted. */
export function shouldCompact(
  contextTokens: number,
  contextWindow: number,
  settings: CompactionSettings = {},
): boolean {
  const { enabled, reserveTokens } = checked(settings);
  return enabled && contextTokens > contextWindow - reserveTokens;
}

/** Whether an answer says that the input was too long, and whether its length may have been cut by that. */
export function overflowOf(
  message: AssistantMessage,
  contextWindow: number,
  maxTokens: number,
): { isContextOverflow: boolean; isRecoverableLength: boolean } {
  return call(undefined, { op: "overflow", message, window: contextWindow, maxTokens });
}

/** A conversation as plain text, as it is given to a model that summarises. */
export function serializeConversation(messages: readonly AgentMessage[]): string {
  return call(undefined, { op: "serialize", messages });
}

/** The files that the tools of a conversation read and changed, and how a summary ends with them. */
export function fileOperations(
  messages: readonly AgentMessage[],
  files?: FileAccess,
): FileLists & { appended: string } {
  return call(undefined, { op: "files", messages, files });
}

/** Where the branch of the leaf is cut, by places on it. */
export function findCutPoint(
  tree: SessionTree,
  start: number,
  end: number,
  keepRecentTokens: number,
): { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean } {
  const cut = tree.ask<{ firstKept: number; splitTurn: number | null }>({
    ...{ op: "cut", start, end, keep: keepRecentTokens },
  });
  const { firstKept, splitTurn } = cut;
  return {
    firstKeptEntryIndex: firstKept,
    turnStartIndex: splitTurn ?? -1,
    isSplitTurn: splitTurn !== null,
  };
}

/** Prepares the compaction of the branch of the leaf. `undefined`: there is nothing to compact. */
export function prepareCompaction(
  tree: SessionTree,
  settings: CompactionSettings = {},
  files?: FileAccess,
): CompactionPreparation | undefined {
  const keep = checked(settings).keepRecentTokens;
  return tree.ask<CompactionPreparation | null>({ op: "prepare", keep, files }) ?? undefined;
}

/** The entries of a branch that another one does not have, oldest first, and where the two part. */
export function collectEntriesForBranchSummary(
  tree: SessionTree,
  from: string | null,
  to: string | null,
): { entries: SessionEntry[]; commonAncestorId: string | null } {
  const { entries, parting } = tree.ask<{ entries: number[]; parting: number | null }>({
    ...{ op: "collect", from, to },
  });
  const all = tree.getEntries();
  return {
    entries: entries.map((place) => all[place] as SessionEntry),
    commonAncestorId: parting === null ? null : (all[parting]?.id ?? null),
  };
}

/** The newest messages of some entries until `tokenBudget` is full; 0 is without limit. */
export function prepareBranchEntries(
  tree: SessionTree,
  entries: readonly SessionEntry[],
  tokenBudget: number,
  files?: FileAccess,
): FileLists & { messages: AgentMessage[]; totalTokens: number } {
  const ids = entries.map(({ id }) => id);
  return tree.ask({ op: "branchPart", entries: ids, budget: tokenBudget, files });
}

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
  /** Further options of the requests, such as `apiKey`. */
  options?: SimpleStreamOptions | undefined;
}

/** A summary. */
export interface Summary {
  summary: string;
  /** What it cost. */
  usage: Usage;
  details: FileLists;
}

/**
 * Asks for the summary of a compaction, with one request, or two where the cut goes through a turn. Stores nothing.
 *
 * @throws AgentError `aborted`, or `protocol` when the answer is cut, empty, calls a tool or failed
 */
export async function summarize(
  preparation: CompactionPreparation,
  options: SummaryOptions,
): Promise<Summary> {
  const asked = { op: "requests", preparation, focus: options.customInstructions };
  const { answers, usage } = await answersTo(call(undefined, asked), options);
  return { ...call<Omit<Summary, "usage">>(undefined, { op: "summary", preparation, answers }), usage };
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
  const { readFiles, modifiedFiles, messages } = part;
  const files = { readFiles, modifiedFiles };
  const asked = {
    ...{ op: "branchRequest", messages, focus: options.customInstructions },
    replace: options.replaceInstructions ?? false,
  };
  const requests =
    messages.length > 0 ? call<Requests>(undefined, asked) : { systemPrompt: "", requests: [] };
  const { answers, usage } = await answersTo(requests, options);
  return {
    ...call<Omit<Summary, "usage">>(undefined, { op: "branchText", ...files, answer: answers[0] }),
    usage,
  };
}

/**
 * Compacts the branch of the leaf: prepares, asks, and adds the entry. `undefined`: there is nothing to compact.
 *
 * @throws AgentError as {@link summarize}; `busy` when the leaf moved while the model was asked. Nothing is stored then.
 */
export async function compact(
  tree: SessionTree,
  options: SummaryOptions & { settings?: CompactionSettings; files?: FileAccess },
): Promise<(Summary & { entryId: string; firstKeptEntryId: string; tokensBefore: number }) | undefined> {
  const preparation = prepareCompaction(tree, options.settings, options.files);
  if (!preparation) return undefined;
  const leaf = tree.getLeafId();
  const made = await summarize(preparation, options);
  if (tree.getLeafId() !== leaf)
    throw new AgentError("busy", "The session went on while it was compacted; nothing was stored.");
  const { firstKeptEntryId, tokensBefore } = preparation;
  const { summary, details, usage } = made;
  const entryId = tree.appendCompaction(summary, firstKeptEntryId, tokensBefore, { details, usage });
  return { ...made, entryId, firstKeptEntryId, tokensBefore };
}

interface Requests {
  systemPrompt: string;
  requests: string[];
}

const REFUSED: Record<string, string> = {
  cut: "it was cut by its length",
  tool_call: "it calls a tool",
  empty: "it is empty",
};

async function answersTo(
  { systemPrompt, requests }: Requests,
  options: SummaryOptions,
): Promise<{ answers: string[]; usage: Usage }> {
  const { model, streamFn, thinkingLevel, signal } = options;
  const reasons = model.reasoning && thinkingLevel && thinkingLevel !== "off";
  const answers: string[] = [];
  const usages: Usage[] = [];
  for (const content of requests) {
    const message = await (
      await streamFn(
        model,
        { systemPrompt, messages: [{ role: "user", content, timestamp: Date.now() }] },
        {
          ...options.options,
          // A conversation of its own: nothing of it is worth keeping, and it must not disturb the cache of the other.
          ...{ cacheRetention: "none", sessionId: uuid(), signal },
          ...(reasons ? { reasoning: thinkingLevel as NonNullable<SimpleStreamOptions["reasoning"]> } : {}),
        },
      )
    ).result();
    answers.push(accepted(message, signal));
    usages.push(message.usage);
  }
  return { answers, usage: call(undefined, { op: "totalUsage", usages }) };
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

/** Settings that are given and make sense. */
function checked(settings: CompactionSettings): Required<CompactionSettings> {
  const all = { ...DEFAULT_COMPACTION_SETTINGS, ...settings };
  for (const name of ["reserveTokens", "keepRecentTokens"] as const) {
    const value = all[name];
    if (!Number.isSafeInteger(value) || value < 0)
      throw new AgentError("invalid_request", `${name} must be a whole number from 0 on, not ${value}`);
  }
  return all;
}
