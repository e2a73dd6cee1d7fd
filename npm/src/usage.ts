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
    this._sum.input += usage.input;
    this._sum.output += usage.output;
    this._sum.cacheRead += usage.cacheRead;
    this._sum.cacheWrite += usage.cacheWrite;
    this._sum.totalTokens += usage.totalTokens;
    this._sum.cost.total += usage.cost?.total ?? 0;
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
