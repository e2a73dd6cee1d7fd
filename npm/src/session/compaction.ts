/** Compaction: how large a context is, what of it becomes a summary, and asking a model for that. */
import { AgentError } from "../errors.js";
import type { AgentMessage, AssistantMessage, Usage } from "../types.js";
import { call } from "./call.js";
import { given, givenTree } from "./given.js";
import { expand } from "./outline.js";
import { type Summary, type SummaryOptions, summarize } from "./summaries.js";
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
  const { totalTokens, input, output, cacheRead, cacheWrite } = given(usage, "usage");
  return totalTokens || input + output + cacheRead + cacheWrite;
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
  return enabled && contextTokens > Number(contextWindow) - reserveTokens;
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
  const cut = givenTree(tree).ask<{ firstKept: number; splitTurn: number | null }>({
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
  return givenTree(tree).ask<CompactionPreparation | null>({ op: "prepare", keep, files }) ?? undefined;
}

/** The entries of a branch that another one does not have, oldest first, and where the two part. */
export function collectEntriesForBranchSummary(
  tree: SessionTree,
  from: string | null,
  to: string | null,
): { entries: SessionEntry[]; commonAncestorId: string | null } {
  const { entries, parting } = givenTree(tree).ask<{ entries: number[]; parting: number | null }>({
    ...{ op: "collect", from, to },
  });
  return {
    entries: tree.at(expand(entries)),
    commonAncestorId: parting === null ? null : (tree.at([parting])[0]?.id ?? null),
  };
}

/** The newest messages of some entries until `tokenBudget` is full; 0 is without limit. */
export function prepareBranchEntries(
  tree: SessionTree,
  entries: readonly SessionEntry[],
  tokenBudget: number,
  files?: FileAccess,
): FileLists & { messages: AgentMessage[]; totalTokens: number } {
  const ids = given(entries, "entries", "array").map(({ id }) => id);
  return givenTree(tree).ask({ op: "branchPart", entries: ids, budget: tokenBudget, files });
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
  const preparation = prepareCompaction(tree, given(options, "options").settings, options.files);
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

/** Settings that are given and make sense. */
export function checked(settings: CompactionSettings): Required<CompactionSettings> {
  const all = { ...DEFAULT_COMPACTION_SETTINGS, ...settings };
  for (const name of ["reserveTokens", "keepRecentTokens"] as const) {
    const value = all[name];
    if (!Number.isSafeInteger(value) || value < 0)
      throw new AgentError("invalid_request", `${name} must be a whole number from 0 on, not ${value}`);
  }
  return all;
}
