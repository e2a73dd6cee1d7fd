import { AgentError } from "../errors.js";
import { failureMessage } from "../failure.js";
import type { RunLimits, StreamFn } from "../types.js";
import { CallFailure, type StartCall } from "./call.js";
import { spentOn } from "./price.js";
import { finished, withResult } from "./response.js";

/** What a run has used of its turns, tool calls, tokens and money. */
export class Budget {
  readonly #limits: RunLimits;
  readonly #isLimited: boolean;
  #requests = 0;
  #calls = 0;
  #tokens = 0;
  #cost = 0;

  constructor(limits: RunLimits) {
    this.#limits = limits;
    const { maxTurns, maxToolCalls, maxTokens, maxCost } = limits;
    this.#isLimited = [maxTurns, maxToolCalls, maxTokens, maxCost].some((limit) => limit !== undefined);
  }

  /** Answers with an error where a request would go beyond a limit. */
  request(streamFn: StreamFn): StreamFn {
    if (!this.#isLimited) return streamFn;
    return async (model, context, options) => {
      // An aborted run ends as aborted, whatever it has used.
      const over = options?.signal?.aborted ? undefined : this.#exceeded();
      if (over) return finished(failureMessage(model, over, false));
      this.#requests++;
      const response = await streamFn(model, context, options);
      return withResult(response, (message) => {
        const { tokens, cost } = spentOn(message, model, context);
        this.#tokens += tokens;
        this.#cost += cost;
      });
    };
  }

  /** Refuses a call that would go beyond the limit. */
  call(start: StartCall): StartCall {
    const { maxToolCalls } = this.#limits;
    if (maxToolCalls === undefined) return start;
    return (input) => {
      this.#calls++;
      if (this.#calls <= maxToolCalls) return start(input);
      const words = `Not run: the tool calls of this run are used up, the limit is ${maxToolCalls} (limits.maxToolCalls)`;
      throw new CallFailure(words, { code: "limit_tool_calls" });
    };
  }

  /** Why no further request may be made. */
  #exceeded(): AgentError | undefined {
    const { maxTurns, maxToolCalls, maxTokens, maxCost } = this.#limits;
    if (maxTurns !== undefined && this.#requests >= maxTurns) {
      return over("limit_turns", this.#requests, "turns", maxTurns, "maxTurns");
    }
    if (maxToolCalls !== undefined && this.#calls > maxToolCalls) {
      return over("limit_tool_calls", this.#calls, "tool calls", maxToolCalls, "maxToolCalls");
    }
    if (maxTokens !== undefined && this.#tokens >= maxTokens) {
      return over("limit_tokens", this.#tokens, "tokens", maxTokens, "maxTokens");
    }
    const cost = rounded(this.#cost);
    if (maxCost !== undefined && cost >= maxCost) {
      return over("limit_cost", cost, "dollars", maxCost, "maxCost");
    }
    return undefined;
  }
}

/** "Out of budget" also tells `isRetryable` that another try does not help. */
function over(
  code: "limit_turns" | "limit_tool_calls" | "limit_tokens" | "limit_cost",
  used: number,
  unit: string,
  limit: number,
  name: keyof RunLimits,
): AgentError {
  return new AgentError(code, `The run is out of budget: ${used} of ${limit} ${unit} (limits.${name})`);
}

/** Without the noise that adding fractions leaves. */
function rounded(cost: number): number {
  return Number(cost.toPrecision(12));
}
