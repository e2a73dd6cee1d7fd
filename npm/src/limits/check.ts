import { AgentError } from "../errors.js";
import { checkNames } from "../names.js";
import type { RunBounds, RunLimits, SimpleStreamOptions } from "../types.js";

const LIMITS = {
  idleMs: "time",
  toolMs: "time",
  approvalMs: "time",
  maxTurns: "amount",
  maxToolCalls: "amount",
  maxTokens: "amount",
  maxCost: "amount",
} as const satisfies Record<keyof RunLimits, Kind>;

type Kind = "time" | "amount" | "wait" | "count" | "whole";

/** What a number must be. An amount may be spent already, so 0 and less are fine there. */
const KINDS: Record<Kind, readonly [test: (value: number) => boolean, words: string]> = {
  time: [(value) => value > 0, "a number of milliseconds above 0"],
  wait: [(value) => value >= 0, "a number of milliseconds"],
  amount: [(value) => !Number.isNaN(value), "a number"],
  count: [(value) => value >= 1, "a number of at least 1"],
  whole: [(value) => Number.isInteger(value) && value >= 0, "a whole number of at least 0"],
};

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * What a request is told about repetitions, time and thinking.
 *
 * @throws AgentError `invalid_request` that names the option
 */
export function checkRequest(options: SimpleStreamOptions): void {
  checkNumber("maxRetries", options.maxRetries, "whole");
  checkNumber("maxRetryDelayMs", options.maxRetryDelayMs, "wait");
  checkNumber("timeoutMs", options.timeoutMs, "wait");
  const level: unknown = options.reasoning ?? "off";
  if (LEVELS.includes(level as string)) return;
  throw new AgentError(
    "invalid_request",
    `There is no thinking level ${JSON.stringify(level)}; known: ${LEVELS.join(", ")}`,
  );
}

/** @throws AgentError `invalid_request` that names the option */
export function checkBounds(bounds: RunBounds): void {
  const { limits, toolAbortGraceMs, toolConcurrency, steering } = bounds;
  checkNames("limit", limits ?? {}, LIMITS);
  for (const [name, value] of Object.entries(limits ?? {}))
    checkNumber(`limits.${name}`, value, LIMITS[name as keyof RunLimits]);
  checkNumber("toolAbortGraceMs", toolAbortGraceMs, "wait");
  checkNumber("toolConcurrency", toolConcurrency, "count");
  if (steering !== undefined && steering !== "tool-boundary") {
    throw new AgentError("invalid_request", `steering must be "tool-boundary", not ${String(steering)}`);
  }
}

function checkNumber(name: string, value: unknown, kind: Kind): void {
  const [test, words] = KINDS[kind];
  if (value === undefined || (typeof value === "number" && test(value))) return;
  throw new AgentError("invalid_request", `${name} must be ${words}, not ${String(value)}`);
}
