// The cases of live sessions, for Node (session.test.mjs) and for a page (scripts/checks/session.mjs).
import { asking } from "./asking.mjs";
import { branching } from "./branching.mjs";
import { compacting } from "./compacting.mjs";
import { following } from "./following.mjs";
import { handing } from "./handing.mjs";
import { mending } from "./mending.mjs";
import { overflowing } from "./overflowing.mjs";
import { random } from "./random.mjs";
import { recording } from "./recording.mjs";
import { storing } from "./storing.mjs";
import { summarising } from "./summarising.mjs";

export const suite = {
  ...recording,
  ...storing,
  ...mending,
  ...following,
  ...handing,
  ...compacting,
  ...overflowing,
  ...asking,
  ...summarising,
  ...branching,
  ...random,
};

/** Plays all of them; gives the failures by name. */
export async function play(host) {
  const failures = {};
  for (const [name, run] of Object.entries(suite)) {
    try {
      await run(host);
    } catch (error) {
      failures[name] = String(error?.stack ?? error);
    }
  }
  return { count: Object.keys(suite).length, failures };
}
