/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls `act` once, `ms` milliseconds from now. `Infinity`: never.
 *
 * @returns calls it off
 */
export function after(ms: number, act: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    const step = Math.min(left, LONGEST);
    timer = setTimeout(() => (left > step ? wait(left - step) : act()), step);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Milliseconds by a clock that cannot jump. */
export function now(): number {
  return performance.now();
}
