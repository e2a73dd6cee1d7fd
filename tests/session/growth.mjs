// Whether work grows with its input, not with its square: processor time for an input and for one four times as long, tried
// until the best of each show that it does. What else the machine does has little to say; what is quadratic takes sixteen
// times as long, however often it is tried.
import assert from "node:assert/strict";

const MOST_TRIES = 10;
const TIMES = 4;
const MOST_GROWTH = 9;

/** @param prepare makes the input of a size, and gives what is to be measured */
export async function isLinear(size, prepare) {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    for (const [place, count] of [size, size * TIMES].entries()) {
      const run = await prepare(count);
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      best[place] = Math.min(best[place], user + system);
    }
    if (best[1] < best[0] * MOST_GROWTH) return;
  }
  assert.fail(`${TIMES} times the input took ${(best[1] / best[0]).toFixed(1)} times the work`);
}
