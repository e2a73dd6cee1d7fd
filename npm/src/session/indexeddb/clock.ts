import { after } from "../../clock.js";

/** Where times are from; another one is for tests. */
export interface StoreClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `act` once, after so many milliseconds; gives what calls it off. */
  after(ms: number, act: () => void): () => void;
}

export const systemClock: StoreClock = { now: () => Date.now(), after };
