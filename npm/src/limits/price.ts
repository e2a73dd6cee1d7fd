import { costOf, type TokenCounts } from "../cost.js";
import type { AssistantMessage, Context, Model, ModelCost } from "../types.js";
import { isReported } from "../usage.js";

/** What one response has used, in tokens and US dollars. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

/** Four characters to a token is the usual rough measure. */
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

/** As reported; what nobody reported is estimated, so that a limit holds with every provider. */
export function spentOn(message: AssistantMessage, model: Model, context: Context): Spent {
  const { usage } = message;
  if (!isReported(usage)) {
    const input = estimate(context);
    const output = estimate(message.content);
    const guess = { input, output, cacheRead: 0, cacheWrite: 0 };
    return { tokens: input + output, cost: priceOf(guess, model.cost) };
  }
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = usage;
  const said = cost?.total > 0 || cost?.totalFromProvider === true;
  return {
    tokens: totalTokens || input + output + cacheRead + cacheWrite,
    cost: said ? cost.total : priceOf(usage, model.cost),
  };
}

function estimate(content: unknown): number {
  let images = 0;
  const weigh = (_key: string, part: unknown): unknown => {
    if ((part as { type?: unknown } | null)?.type !== "image") return part;
    images++;
    return undefined;
  };
  try {
    const text = JSON.stringify(content, weigh) ?? "";
    return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE;
  } catch {
    // Only a stream function of the application can send what JSON cannot express.
    return 0;
  }
}

const priceOf = (counts: TokenCounts, cost: ModelCost | undefined): number =>
  cost ? costOf(counts, cost).total : 0;
