/** The sizes that compaction goes by, for one model. */
import { AgentError } from "../errors.js";
import type { AgentTool, Model } from "../types.js";
import { checkNames } from "../names.js";
import type { CompactionOptions } from "./auto-compaction.js";
import { checked } from "./compaction.js";
import type { CompactionSettings, FileAccess } from "./types.js";

/** Sizes that differ for one model, in tokens. */
export type ModelSizes = Pick<CompactionSettings, "reserveTokens" | "keepRecentTokens">;

/** The settings of a session. */
export interface SizeSettings extends CompactionSettings {
  /** By `provider/model`; each size falls back on its own. */
  modelOverrides?: Record<string, ModelSizes> | undefined;
  /** `reserveTokens` (default 16384): what stays free in the request for the summary of a branch. */
  branchSummary?: Pick<CompactionSettings, "reserveTokens"> | undefined;
}

/** The sizes of a model, in tokens. */
export interface Limits {
  enabled: boolean;
  /** 0: not known, and nothing begins by itself. */
  window: number;
  /** The most that a context may have before it is compacted. */
  threshold: number;
  keepRecentTokens: number;
  /** The reserve that was asked for is more than half of the window, which is what counts then. */
  clamped: boolean;
}

/** @throws AgentError `invalid_request` for a size that makes no sense */
export function limitsFor(model: Model, settings: SizeSettings): Limits {
  const { modelOverrides, branchSummary: _, ...base } = settings;
  const given = { ...base, ...modelOverrides?.[`${model.provider}/${model.id}`] };
  const { enabled, reserveTokens, keepRecentTokens } = checked(given);
  const window = model.contextWindow > 0 ? model.contextWindow : 0;
  const reserve = Math.min(reserveTokens, Math.floor(window / 2));
  const threshold = window - reserve;
  // More than that would leave nothing to summarise when the threshold is passed.
  const keep = window > 0 ? Math.min(keepRecentTokens, Math.floor(threshold / 2)) : keepRecentTokens;
  return {
    enabled,
    window,
    threshold,
    keepRecentTokens: keep,
    clamped: window > 0 && given.reserveTokens !== undefined && reserve < reserveTokens,
  };
}

/** All settings once, so that a mistake is told when they are given. @throws AgentError `invalid_request` */
export function checkSizes(settings: CompactionOptions): void {
  const { modelOverrides = {}, branchSummary = {} } = settings;
  const sizes = { reserveTokens: 1, keepRecentTokens: 1 };
  checkNames("setting of compaction", settings, {
    ...{ ...sizes, enabled: 1, modelOverrides, branchSummary },
    ...{ model: 1, streamFn: 1, options: 1, files: 1 },
  });
  checked(settings);
  for (const part of [branchSummary, ...Object.values(modelOverrides)]) {
    checkNames("size of compaction", part, sizes);
    checked(part);
  }
}

/** The tokens that the messages of a branch may have in the request for its summary; 0: no limit. */
export function branchBudget(model: Model, { branchSummary }: SizeSettings): number {
  const { reserveTokens } = checked(branchSummary ?? {});
  const window = model.contextWindow > 0 ? model.contextWindow : 0;
  return window - Math.min(reserveTokens, Math.floor(window / 2));
}

/** What tools do with files: the usual names, what tools declare, what the application says. */
export function fileAccessOf(tools: readonly AgentTool[], given: FileAccess | undefined): FileAccess {
  const access: FileAccess = { read: "read", write: "write", edit: "write" };
  for (const { name, fileAccess } of tools) if (fileAccess) access[name] = fileAccess;
  return { ...access, ...given };
}

/** Why a compaction was refused or has failed. */
export type CompactionRefusal =
  | "no_model"
  | "already_compacted"
  | "nothing_to_compact"
  | "cancelled"
  | "failed";

/** A compaction that was asked for and did not happen; nothing has changed. */
export class CompactionError extends AgentError {
  override name = "CompactionError";
  /** For programs. `code` is that of the failed request, `aborted` when it was cancelled, else `invalid_request`. */
  readonly refusal: CompactionRefusal;

  constructor(refusal: CompactionRefusal, message: string, cause?: unknown) {
    const own = refusal === "cancelled" ? "aborted" : "invalid_request";
    super(cause instanceof AgentError ? cause.code : own, message, { cause });
    this.refusal = refusal;
  }
}
