// Whether work grows with its input, not with its square: processor time of this process for an input and for one four
// times as long, tried until the best of each show that it does. What else the machine does has little to say; what is
// quadratic takes sixteen times as long, however often it is tried.
import assert from "node:assert/strict";

const MOST_TRIES = 15;
export const TIMES = 4;
const MOST_GROWTH = 9;

/**
 * @param size of the small input
 * @param prepare makes the input of a size, and gives what is to be measured
 * @param most growth at which no more tries are needed
 * @returns the best for each input, in microseconds
 */
export async function compared(size, prepare, most) {
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    for (const [name, count] of Object.entries({ small: size, large: size * TIMES })) {
      const run = await prepare(count);
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      best[name] = Math.min(best[name], user + system);
    }
    if (best.large <= best.small * most) break;
  }
  return best;
}

/** Asserts that what `prepare` gives takes time in proportion: see {@link compared}. */
export async function isLinear(size, prepare) {
  const { small, large } = await compared(size, prepare, MOST_GROWTH);
  assert.ok(
    large <= small * MOST_GROWTH,
    `${TIMES} times the input took ${(large / small).toFixed(1)} times the work`,
  );
}
