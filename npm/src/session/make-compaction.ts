/** One compaction: asks the hook or the model, and stores what comes of it. */
import { AgentError } from "../errors.js";
import type { AgentMessage, Model, SimpleStreamOptions, StreamFn } from "../types.js";
import { estimateTokens } from "./compaction.js";
import type { SessionCore } from "./core.js";
import type { BeforeCompaction, OwnCompaction, SessionHooks } from "./hooks.js";
import { CompactionError } from "./limits.js";
import { usageRow } from "./messages.js";
import type { CompactionResult } from "./session-events.js";
import { type Summary, type SummaryOptions, summarize } from "./summaries.js";
import type { CompactionEntry, CompactionPreparation } from "./types.js";
import { unlessAborted } from "./unless.js";

/** What makes the summaries of a session. */
export interface Summarizer {
  /** Default: the model of the agent. */
  model?: Model | undefined;
  /** Default: the stream function of the agent. */
  streamFn?: StreamFn | undefined;
  /** Further options of the requests. */
  options?: SimpleStreamOptions | undefined;
}

/** How summaries are asked for now. @throws CompactionError `no_model` */
export async function summaryOptions(
  core: SessionCore,
  { model, streamFn, options }: Summarizer,
  signal: AbortSignal,
): Promise<SummaryOptions> {
  const { agent, events } = core;
  const asked = model ?? agent.state.model;
  if (!model && asked.provider === "unknown") throw new CompactionError("no_model", "No model selected");
  const { maxRetries, maxRetryDelayMs, transport, identity } = agent;
  const apiKey = await agent.getApiKey?.(asked.provider);
  return {
    ...{ model: asked, streamFn: streamFn ?? agent.streamFunction, signal },
    thinkingLevel: agent.state.thinkingLevel,
    options: {
      ...(apiKey ? { apiKey } : {}),
      ...{ maxRetries, maxRetryDelayMs, transport, identity },
      ...options,
    },
    onEvent: (event) => {
      if (!signal.aborted) events.emit(event);
    },
  };
}

/** Calls a hook; one that throws is told of, and has said nothing, like one that is not done when the signal fires. */
export async function asked<E, R>(
  core: SessionCore,
  name: keyof SessionHooks,
  hook: ((event: E) => R) | undefined,
  event: E,
  signal: AbortSignal,
): Promise<Awaited<R> | undefined> {
  try {
    return await unlessAborted(signal, hook?.(event) as Awaited<R>);
  } catch (thrown) {
    core.warn(`The hook ${name} has thrown; what it would have said is not known.`, thrown);
    return undefined;
  }
}

/** A compaction that was made, and what `afterCompaction` is told of it. */
export interface Made {
  result: CompactionResult;
  told: Parameters<NonNullable<SessionHooks["afterCompaction"]>>[0];
}

/**
 * Makes a compaction and stores it. Nothing has changed when it throws.
 *
 * @throws CompactionError why not
 */
export async function makeCompaction(
  core: SessionCore,
  summarizer: Summarizer,
  hooks: SessionHooks,
  event: BeforeCompaction,
): Promise<Made> {
  const { preparation, signal, reason, willRetry } = event;
  const said = await asked(core, "beforeCompaction", hooks.beforeCompaction, event, signal);
  if (signal.aborted || said?.cancel) throw new CompactionError("cancelled", "Compaction cancelled");
  const own = said?.compaction;
  const made = own ?? (await unlessAborted(signal, summaryFor(core, summarizer, event)));
  if (signal.aborted || !made) throw new CompactionError("cancelled", "Compaction cancelled");
  if (made.summary.trim() === "") throw new CompactionError("failed", "The summary is empty");
  mustHelp(made.summary, preparation, own);
  const entry = store(core, made, preparation, own !== undefined);
  await core.recorder.flush();
  // Other messages that the application has given the agent meanwhile count from the next run on.
  if (core.agent.state.isStreaming || core.transcript.isInstalled) core.transcript.install();
  const { summary, firstKeptEntryId = "", tokensBefore, usage, details } = entry;
  const result = {
    ...{ summary, firstKeptEntryId, tokensBefore },
    estimatedTokensAfter: core.tree.contextSize().tokens,
    ...(usage ? { usage } : {}),
    ...(details === undefined ? {} : { details }),
  };
  return { result, told: { entry, fromHook: own !== undefined, reason, willRetry } };
}

async function summaryFor(
  core: SessionCore,
  summarizer: Summarizer,
  { preparation, customInstructions, signal }: BeforeCompaction,
): Promise<Summary> {
  try {
    const options = await summaryOptions(core, summarizer, signal);
    return await summarize(preparation, { ...options, customInstructions });
  } catch (thrown) {
    if (thrown instanceof CompactionError) throw thrown;
    if (signal.aborted || (thrown instanceof AgentError && thrown.code === "aborted"))
      throw new CompactionError("cancelled", "Compaction cancelled", thrown);
    throw new CompactionError("failed", thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}

/** A summary that is longer than what it stands for would fill the context instead (COMPACTION 14.3). */
function mustHelp(summary: string, preparation: CompactionPreparation, own: OwnCompaction | undefined): void {
  if (own?.firstKeptEntryId && own.firstKeptEntryId !== preparation.firstKeptEntryId) return;
  const { messagesToSummarize, turnPrefixMessages, previousSummary } = preparation;
  const sizes = [...messagesToSummarize, ...turnPrefixMessages].map(estimateTokens);
  const replaced = sizes.reduce((sum, size) => sum + size, textTokens(previousSummary ?? ""));
  if (textTokens(summary) > replaced)
    throw new CompactionError("failed", "The summary is longer than what it would stand for");
}

const textTokens = (content: string): number =>
  estimateTokens({ role: "user", content, timestamp: 0 } satisfies AgentMessage);

function store(
  core: SessionCore,
  made: Summary | OwnCompaction,
  preparation: CompactionPreparation,
  fromHook: boolean,
): CompactionEntry {
  const { summary, details, usage } = made;
  const { firstKeptEntryId = preparation.firstKeptEntryId, tokensBefore = preparation.tokensBefore } =
    made as OwnCompaction;
  if (fromHook && !core.tree.getBranch().some(({ id }) => id === firstKeptEntryId))
    throw new CompactionError("failed", `There is no entry ${firstKeptEntryId} on the branch`);
  const extras = {
    ...(details === undefined ? {} : { details }),
    ...(usage ? { usage } : {}),
    ...(fromHook ? { fromHook } : {}),
  };
  return core.append(
    (tree) => tree.appendCompaction(summary, firstKeptEntryId, tokensBefore, extras),
    ...usageRow("compaction", usage, core.agent.state.model),
  ) as CompactionEntry;
}
