// Random schedules on the TypeScript shell (tests/properties): the first of the seeds that the native tests play.
// `--seed N` plays one again with everything that happened; `--schedules N` more, `--from N` others.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Agent, streamSimple } from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";
import { unhandledRejections } from "../../tests/hostile/observe.mjs";
import { problems } from "../../tests/properties/checker.mjs";
import { schedule, Tally } from "../../tests/properties/run.mjs";
import { Report, sharedDir } from "../common.mjs";

/** Schedules of a usual run. */
const USUAL = 1000;
/** After so many failures there is nothing new to learn. */
const ENOUGH = 5;

const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

const judges = [problems];
if (sharedDir()) {
  const { validateRequest } = await import(pathToFileURL(join(sharedDir(), "wire/validate-request.mjs")));
  judges.push((body, model) => validateRequest("openai-completions", body, { model }));
} else console.log("no ../shared here: requests are judged by our own checker only");

const host = {
  Agent,
  OldAgent,
  streamSimple,
  judge: (body, model) => judges.flatMap((judge) => judge(body, model)),
  /** Both queues, oldest first. There is no public way to see the second one while the first holds something. */
  queues: ({ _inbox: { steering, followUps } }) => [steering.peek(), followUps.peek()],
};

const report = new Report();
const seed = argument("--seed");
const from = seed ?? argument("--from") ?? 0;
const count = seed === undefined ? (argument("--schedules") ?? USUAL) : 1;
const sum = new Tally();
for (let next = from; next < from + count && report.failed < ENOUGH; next++) {
  try {
    sum.add(await schedule(host, next, seed !== undefined));
    const unhandled = await unhandledRejections();
    if (unhandled.length > 0) throw new Error(`unhandled: ${unhandled.join("; ")}`);
    report.add(1, 0);
  } catch (error) {
    report.check(false, `schedule ${next}`, `${error.message}\nplay it again with --seed ${next}`);
  }
}
console.log(`figures: ${report.passed} schedules, seeds ${from} to ${from + count - 1}: ${sum}`);
if (seed === undefined) report.check(sum.covers(count), "schedules do what they should", String(sum));
report.finish();
