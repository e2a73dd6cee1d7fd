import type { AssistantMessage, Usage } from "steersman";
import type { SessionEntry } from "steersman/session";

/** What was used; `tokens` and `cost` of the requests that reported them. */
export interface Spent {
  requests: number;
  /** Whether all of them reported. */
  known: boolean;
  totalTokens: number | undefined;
  cost: number | undefined;
}

/** What a conversation has used since it began: answers on all branches, and summaries. */
export function spentOn(entries: readonly SessionEntry[]): Spent {
  let [requests, reported, totalTokens, cost] = [0, 0, 0, 0];
  for (const entry of entries) {
    const { message = {}, usage: ofSummary } = entry as {
      message?: Partial<AssistantMessage>;
      usage?: Usage;
    };
    const usage = message.role === "assistant" ? message.usage : ofSummary;
    // A run that a limit ended has a message for the request that was not made.
    if (!usage || message.diagnostics?.[0]?.code?.startsWith("limit_")) continue;
    requests++;
    if (!usage.totalTokens) continue;
    reported++;
    totalTokens += usage.totalTokens;
    cost += usage.cost?.total ?? 0;
  }
  const known = reported === requests;
  return reported > 0
    ? { requests, known, totalTokens, cost }
    : { requests, known, totalTokens: undefined, cost: undefined };
}
