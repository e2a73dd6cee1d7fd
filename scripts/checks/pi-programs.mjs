// Random programs (tests/pi/programs), played with pi-agent-core and with this package: what they see has to be the same.
// `--seed N` shows one, with as few unusual choices as possible; `--programs N` more, `--from N` others; `--old`: those of
// 0.85.1 with `steersman/pi-0.85`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as steersman from "steersman";
import * as steersmanOld from "steersman/pi-0.85";
import { difference, smallest } from "../../tests/pi/programs/compare.mjs";
import { Report } from "../common.mjs";
import { fetchPackages } from "../packages.mjs";

/** Programs of a usual run. */
const USUAL = 200;
/** After so many differences there is nothing new to learn. */
const ENOUGH = 5;
/** Lines that are shown of what both saw before. */
const BEFORE = 8;

const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

const old = process.argv.includes("--old");
const modules = await fetchPackages(old ? "pi-0.85" : "pi");
const entry = join(modules, "@earendil-works/pi-agent-core/dist/index.js");
const theirs = { pi: await import(pathToFileURL(entry)), old };
const ours = { pi: old ? steersmanOld : steersman, old };

const report = new Report();
const seed = argument("--seed");
const from = seed ?? argument("--from") ?? 0;
const count = seed === undefined ? (argument("--programs") ?? USUAL) : 1;
const sum = { lines: 0, ended: 0 };
for (let next = from; next < from + count && report.failed < ENOUGH; next++) {
  const { found, lines, ended } = await difference(theirs, ours, next);
  sum.lines += lines;
  if (ended) sum.ended++;
  const detail = found ? shown(await smallest(theirs, ours, next, found)) : "";
  report.check(!found, `program ${next}`, detail);
}
const { lines, ended } = sum;
console.log(
  `figures: programs ${from} to ${from + count - 1}: the same ${lines} lines, ${ended} to their end`,
);
if (seed === undefined) {
  // A stream of events that fails has no end in pi; all other programs have one.
  report.check(
    ended > count * 0.9 && lines > count * 30,
    "programs do what they should",
    JSON.stringify(sum),
  );
  report.check(await seesADifference(), "a difference would be seen");
}
report.finish();

function shown({ theirs, ours, at, wild }) {
  const line = (who, lines, index) => `${who}${lines[index] ?? "(nothing more)"}`;
  return [
    ...[...wild].map((name) => `chosen: ${name}`),
    ...theirs.slice(Math.max(0, at - BEFORE), at).map((text) => `both:   ${text}`),
    ...[at, at + 1].map((index) => line("pi:     ", theirs, index)),
    ...[at, at + 1].map((index) => line("ours:   ", ours, index)),
  ].join("\n");
}

/** Whether programs notice an agent that takes messages out of its queues in the wrong order. */
async function seesADifference() {
  class Agent extends theirs.pi.Agent {
    steer(message) {
      super.followUp(message);
    }
  }
  const changed = { pi: { ...theirs.pi, Agent }, old };
  for (let next = 0; next < USUAL; next++) {
    if ((await difference(theirs, changed, next)).found) return true;
  }
  return false;
}
