import type { RunBounds, StreamFn } from "../types.js";
import { Budget } from "./budget.js";
import type { StartCall } from "./call.js";
import { checkBounds } from "./check.js";
import { withIdleLimit } from "./idle.js";
import { Slots } from "./slots.js";
import { withToolTime } from "./tool-time.js";

/** Holds one run to its limits, by wrapping what it calls. A limit that is not set wraps nothing. */
export class Limiter {
  readonly #bounds: RunBounds;
  readonly #budget: Budget;
  readonly #slots: Slots | undefined;

  /** @throws AgentError `invalid_request` */
  constructor(bounds: RunBounds) {
    checkBounds(bounds);
    const { limits, toolAbortGraceMs, toolConcurrency } = bounds;
    this.#bounds = { limits: { ...limits }, toolAbortGraceMs };
    this.#budget = new Budget(this.#bounds.limits ?? {});
    this.#slots = toolConcurrency === undefined ? undefined : new Slots(toolConcurrency);
  }

  /** Time for a decision about a call, in milliseconds. */
  get approvalMs(): number | undefined {
    return this.#bounds.limits?.approvalMs;
  }

  request(streamFn: StreamFn): StreamFn {
    const { idleMs } = this.#bounds.limits ?? {};
    return this.#budget.request(idleMs === undefined ? streamFn : withIdleLimit(streamFn, idleMs));
  }

  /** What counts before anybody is asked about a call. */
  admit(start: StartCall): StartCall {
    return this.#budget.call(start);
  }

  /** What counts once it may run: a place, and time. */
  execute(start: StartCall): StartCall {
    const { limits, toolAbortGraceMs } = this.#bounds;
    const timed =
      limits?.toolMs === undefined && toolAbortGraceMs === undefined
        ? start
        : withToolTime(limits?.toolMs, toolAbortGraceMs, start);
    return this.#slots?.wrap(timed) ?? timed;
  }
}

/** Undefined when nothing is limited, so that such a run takes no detour. */
export function limiterOf(bounds: RunBounds): Limiter | undefined {
  const { limits, toolAbortGraceMs, toolConcurrency, steering } = bounds;
  const any = [limits, toolAbortGraceMs, toolConcurrency, steering].some((value) => value !== undefined);
  return any ? new Limiter(bounds) : undefined;
}
