import type { AssistantMessage, Usage, UsageTotals } from "./types.js";

/** A usage without any tokens: what a message carries when nobody knows. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** Adds a usage to a sum. What is missing in it counts as nothing. */
function addUsage(sum: Usage, usage: Usage): void {
  addNumbers(sum, usage);
  addNumbers(sum.cost, usage.cost);
}

/** The sum of some usages, with their cost. */
export function totalUsage(usages: readonly Usage[]): Usage {
  const sum = emptyUsage();
  for (const usage of usages) addUsage(sum, usage);
  return sum;
}

function addNumbers(sum: object, more: object | undefined): void {
  const into = sum as Record<string, number>;
  for (const name in into) {
    const value = (more as typeof into | undefined)?.[name];
    if (typeof value === "number") into[name] = (into[name] ?? 0) + value;
  }
}

/** No response is free of tokens, so all zero can only mean that nobody reported any. */
export function isReported(usage: Usage | undefined): usage is Usage {
  return (
    usage !== undefined &&
    (usage.input > 0 ||
      usage.output > 0 ||
      usage.cacheRead > 0 ||
      usage.cacheWrite > 0 ||
      usage.totalTokens > 0)
  );
}

/** A run that a limit ended has a message for the request that was not made. */
function isLimitNotice(message: AssistantMessage): boolean {
  return message.diagnostics?.[0]?.code?.startsWith("limit_") === true;
}

/** Adds up the usage of responses. */
export class UsageMeter {
  private _requests = 0;
  private _reported = 0;
  private _sum = emptyUsage();

  add(message: AssistantMessage): void {
    if (isLimitNotice(message)) return;
    this._requests++;
    const { usage } = message;
    if (!isReported(usage)) return;
    this._reported++;
    addUsage(this._sum, usage);
  }

  reset(): void {
    this._requests = 0;
    this._reported = 0;
    this._sum = emptyUsage();
  }

  totals(): UsageTotals {
    const count = (value: number) => (this._reported > 0 ? value : undefined);
    return {
      requests: this._requests,
      known: this._reported === this._requests,
      input: count(this._sum.input),
      output: count(this._sum.output),
      cacheRead: count(this._sum.cacheRead),
      cacheWrite: count(this._sum.cacheWrite),
      totalTokens: count(this._sum.totalTokens),
      cost: count(this._sum.cost.total),
    };
  }
}
