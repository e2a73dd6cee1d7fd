import type { ModelCost, Usage } from "./types.js";

/** Numbers of tokens, as a usage has them. */
export type TokenCounts = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h">;

/** What a cache write that is kept for an hour costs, in input prices (Anthropic's rule; nobody else has such writes). */
const HOUR_WRITE = 2;

/** The price of a request in US dollars. A tier replaces the rates when more input was read than it starts from. */
export function costOf(counts: TokenCounts, prices: ModelCost): Usage["cost"] {
  const read = counts.input + counts.cacheRead + counts.cacheWrite;
  let rates: ModelCost = prices;
  let from = -1;
  for (const tier of prices.tiers ?? []) {
    if (read <= tier.inputTokensAbove || tier.inputTokensAbove < from) continue;
    rates = tier;
    from = tier.inputTokensAbove;
  }
  const hour = counts.cacheWrite1h ?? 0;
  const cost = {
    input: (rates.input * counts.input) / 1e6,
    output: (rates.output * counts.output) / 1e6,
    cacheRead: (rates.cacheRead * counts.cacheRead) / 1e6,
    cacheWrite: (rates.cacheWrite * (counts.cacheWrite - hour) + rates.input * HOUR_WRITE * hour) / 1e6,
    total: 0,
    totalFromProvider: false,
  };
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return cost;
}
