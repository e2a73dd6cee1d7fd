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
  private requests = 0;
  private reported = 0;
  private sum = emptyUsage();

  add(message: AssistantMessage): void {
    if (isLimitNotice(message)) return;
    this.requests++;
    const { usage } = message;
    if (!isReported(usage)) return;
    this.reported++;
    this.sum.input += usage.input;
    this.sum.output += usage.output;
    this.sum.cacheRead += usage.cacheRead;
    this.sum.cacheWrite += usage.cacheWrite;
    this.sum.totalTokens += usage.totalTokens;
    this.sum.cost.total += usage.cost?.total ?? 0;
  }

  reset(): void {
    this.requests = 0;
    this.reported = 0;
    this.sum = emptyUsage();
  }

  totals(): UsageTotals {
    const count = (value: number) => (this.reported > 0 ? value : undefined);
    return {
      requests: this.requests,
      known: this.reported === this.requests,
      input: count(this.sum.input),
      output: count(this.sum.output),
      cacheRead: count(this.sum.cacheRead),
      cacheWrite: count(this.sum.cacheWrite),
      totalTokens: count(this.sum.totalTokens),
      cost: count(this.sum.cost.total),
    };
  }
}
