/** Moving the leaf of a session that goes on (SESSIONS 2.2). */
import { AgentBusyError, AgentError } from "../errors.js";
import type { AgentMessage } from "../types.js";
import type { Compactor } from "./auto-compaction.js";
import { SessionError } from "./call.js";
import { collectEntriesForBranchSummary, prepareBranchEntries } from "./compaction.js";
import type { SessionCore } from "./core.js";
import type { NavigationChange, SessionHooks } from "./hooks.js";
import { branchBudget, fileAccessOf } from "./limits.js";
import { asked, summaryOptions } from "./make-compaction.js";
import { usageRow } from "./messages.js";
import { summarizeBranch } from "./summaries.js";
import type { SessionTree } from "./tree.js";
import type { BranchSummaryEntry, SessionContent, SessionEntry, SessionMessageEntry } from "./types.js";
import { unlessAborted } from "./unless.js";

/** How to move. */
export interface NavigateOptions {
  /** Ask for a summary of what is left behind, which the model sees from there on. */
  summarize?: boolean;
  /** What that summary should look at. */
  instructions?: string;
  /** `instructions` are all that the summary is asked with. */
  replaceInstructions?: boolean;
  /** A label for the summary, or else for the entry. */
  label?: string;
}

/** What came of a move. */
export interface Navigated {
  /** A hook, or `abortCompaction()`, has stopped it; nothing has changed. */
  cancelled: boolean;
  /** The text of the message that was moved to, to be written anew. */
  editorText?: string;
  summaryEntry?: SessionEntry;
}

/**
 * @param edit a message that is the leaf, because it was never answered, is left too
 * @throws AgentBusyError while something is in progress; SessionError `unknown_entry`; as `summarizeBranch` does
 */
export async function navigate(
  core: SessionCore,
  compactor: Compactor,
  targetId: string,
  options: NavigateOptions = {},
  edit = false,
): Promise<Navigated> {
  mayMove(core);
  const { tree } = core;
  const target = entryIn(tree, targetId);
  const oldLeaf = tree.getLeafId();
  if (targetId === oldLeaf && !edit) return { cancelled: false };
  const moved = await compactor.exclusively(undefined, async ({ signal }) => {
    const { entries, commonAncestorId } = collectEntriesForBranchSummary(tree, oldLeaf, targetId);
    const { summarize = false, instructions, replaceInstructions = false, label } = options;
    const change: NavigationChange =
      (await asked(
        core,
        "beforeNavigation",
        compactor.hooks.beforeNavigation,
        {
          ...{ targetId, oldLeafId: oldLeaf, commonAncestorId, entriesToSummarize: entries, summarize },
          ...{ customInstructions: instructions, replaceInstructions, label, signal },
        },
        signal,
      )) ?? {};
    if (change.cancel || signal.aborted) return undefined;
    const own = summarize ? change.summary : undefined;
    const wanted = { instructions, replaceInstructions, ...renamed(change) };
    let made = own;
    if (summarize && !own && entries.length > 0) {
      try {
        made = await unlessAborted(signal, summaryOf(core, compactor, entries, wanted, signal));
      } catch (thrown) {
        if (signal.aborted) return undefined;
        throw thrown;
      }
    }
    if (signal.aborted) return undefined;
    return move(core, target, oldLeaf, made, own !== undefined, change.label ?? label);
  });
  if (!moved) return { cancelled: true };
  await compactor.tell("afterNavigation", compactor.hooks.afterNavigation, moved.told);
  return moved.result;
}

const renamed = ({ customInstructions, replaceInstructions }: NavigationChange) => ({
  ...(customInstructions === undefined ? {} : { instructions: customInstructions }),
  ...(replaceInstructions === undefined ? {} : { replaceInstructions }),
});

/** @throws AgentBusyError where another page writes, or a run is in progress */
function mayMove(core: SessionCore): void {
  core.mustWrite();
  if (core.agent.state.isStreaming)
    throw new AgentBusyError("Wait for the answer to finish, or abort it, before moving in the session.");
}

function entryIn(tree: SessionTree, id: string): SessionEntry {
  const entry = tree.getEntry(id);
  if (!entry) throw new SessionError("unknown_entry");
  return entry;
}

async function summaryOf(
  core: SessionCore,
  { options }: Compactor,
  entries: SessionEntry[],
  { instructions, replaceInstructions }: { instructions?: string | undefined; replaceInstructions: boolean },
  signal: AbortSignal,
): Promise<NonNullable<NavigationChange["summary"]>> {
  const how = await summaryOptions(core, options, signal);
  const files = fileAccessOf(core.agent.state.tools, options.files);
  const part = prepareBranchEntries(core.tree, entries, branchBudget(how.model, options), files);
  return summarizeBranch(part, { ...how, customInstructions: instructions, replaceInstructions });
}

/** A move that was made, and what `afterNavigation` is told of it. */
interface Moved {
  result: Navigated;
  told: Parameters<NonNullable<SessionHooks["afterNavigation"]>>[0];
}

async function move(
  core: SessionCore,
  target: SessionEntry,
  oldLeaf: string | null,
  made: NavigationChange["summary"],
  fromHook: boolean,
  label: string | undefined,
): Promise<Moved> {
  const { tree } = core;
  const rewritten = textOfPrompt(target);
  const to = rewritten === undefined ? target.id : target.parentId;
  let summaryEntry: SessionEntry | undefined;
  if (made?.summary) {
    const { summary, details, usage } = made;
    const extras = {
      ...(details === undefined ? {} : { details }),
      ...(usage ? { usage } : {}),
      ...(fromHook ? { fromHook } : {}),
    };
    summaryEntry = core.append(
      () => tree.branchWithSummary(to, summary, extras),
      ...usageRow("branchSummary", usage, core.agent.state.model),
    ) as BranchSummaryEntry;
  } else setLeaf(core, to);
  if (label) core.append(() => tree.appendLabelChange(summaryEntry?.id ?? target.id, label));
  core.transcript.install();
  await core.recorder.flush();
  const newLeaf = tree.getLeafId();
  const withSummary = summaryEntry ? { summaryEntry } : {};
  core.events.emit({ type: "session_tree", oldLeaf, newLeaf, ...withSummary });
  return {
    result: {
      cancelled: false,
      ...(rewritten === undefined ? {} : { editorText: rewritten }),
      ...withSummary,
    },
    told: { oldLeafId: oldLeaf, newLeafId: newLeaf, fromHook, ...withSummary },
  };
}

/** Moves the leaf to an entry itself. The place is stored. @throws AgentBusyError, SessionError `unknown_entry` */
export async function moveTo(core: SessionCore, compactor: Compactor, to: string): Promise<void> {
  mayMove(core);
  entryIn(core.tree, to);
  await compactor.exclusively(undefined, async () => {
    const oldLeaf = core.tree.getLeafId();
    if (oldLeaf === to) return;
    setLeaf(core, to);
    core.transcript.install();
    await core.recorder.flush();
    core.events.emit({ type: "session_tree", oldLeaf, newLeaf: to });
  });
}

function setLeaf(core: SessionCore, to: string | null): void {
  if (to === null) core.tree.resetLeaf();
  else core.tree.branch(to);
  core.recorder.add(to);
}

/** The text of an entry that is there to be written anew. */
function textOfPrompt(entry: SessionEntry): string | undefined {
  if (entry.type === "custom_message") return plainText((entry as { content?: SessionContent }).content);
  if (entry.type !== "message") return undefined;
  const { message } = entry as SessionMessageEntry;
  return message.role === "user" ? plainText((message as { content?: SessionContent }).content) : undefined;
}

function plainText(content: SessionContent = ""): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** What one looks at as a message: instructions are none. */
function isMessage(entry: SessionEntry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && (entry as SessionMessageEntry).message.role !== "system";
}

/**
 * The messages that stand in the same place on other branches: all that follow the same message. Settings, labels,
 * instructions and summaries in between do not count.
 */
export function versionsOf(tree: SessionTree, id: string): { entries: SessionEntry[]; index: number } {
  let above = entryIn(tree, id).parentId;
  for (let entry = above && tree.getEntry(above); entry && !isMessage(entry); ) {
    above = entry.parentId;
    entry = above ? tree.getEntry(above) : undefined;
  }
  const entries: SessionEntry[] = [];
  const open = tree.getChildren(above);
  for (const entry of open) {
    if (isMessage(entry)) entries.push(entry);
    else open.push(...tree.getChildren(entry.id));
  }
  if (entries.length > 1) {
    const place = new Map(tree.getEntries().map((entry, at) => [entry.id, at]));
    entries.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  }
  return { entries, index: entries.findIndex((entry) => entry.id === id) };
}

/** The newest entry below an entry, or itself. */
export function newestBelow(tree: SessionTree, id: string): string {
  const below = new Set([entryIn(tree, id).id]);
  let newest = id;
  for (const entry of tree.getEntries()) {
    if (entry.parentId === null || !below.has(entry.parentId)) continue;
    below.add(entry.id);
    newest = entry.id;
  }
  return newest;
}

/** The user message that an entry, or the leaf, goes back to. @throws AgentError `invalid_request` where there is none */
export function promptBefore(tree: SessionTree, id: string | undefined): string {
  const prompt = tree
    .getBranch(id)
    .findLast(
      (entry) =>
        entry.type === "custom_message" ||
        (entry.type === "message" &&
          ((entry as SessionMessageEntry).message as AgentMessage).role === "user"),
    );
  if (!prompt) throw new AgentError("invalid_request", "There is no message of the user to answer again.");
  return prompt.id;
}
