// Public bug reports as cases: those of the shared folder, played from where they lie, and our own in fixtures/bugs.
// Cases that need a page, a bundler or a stubbed global are tests of their own in env/, named after their id.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import "./instances.mjs";
import * as steersman from "steersman";
import { root, sharedDir } from "../../scripts/common.mjs";
import { fakeTime } from "../shell/time.mjs";
import { unhandledRejections } from "../hostile/observe.mjs";
import { playArguments } from "./arguments.mjs";
import { revive } from "./keys.mjs";
import { playLoop } from "./loop.mjs";
import { playPerf } from "./perf.mjs";
import { playRequest } from "./request.mjs";
import { playClassify, playContext, playEstimate, playLoad, playPlan, playSplitTurn } from "./sessions.mjs";
import { playStream } from "./stream.mjs";

const players = {
  loop: playLoop,
  "provider-stream": playStream,
  "tool-args": playArguments,
  "request-build": playRequest,
  perf: playPerf,
  "session-load": playLoad,
  "context-build": playContext,
  "compaction-plan": playPlan,
  "context-estimate": playEstimate,
  "error-classify": playClassify,
};
const playerOf = ({ kind, options }) =>
  options?.force_split_turn_compaction ? playSplitTurn : players[kind];

const prototypeKeys = Reflect.ownKeys(Object.prototype).sort();
const read = (file) => JSON.parse(readFileSync(file, "utf8"), revive);
const casesIn = (dir) =>
  existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => read(join(dir, name)))
    : [];

const shared = sharedDir() && join(sharedDir(), "bug-cases");
const given = shared ? casesIn(shared) : [];
const own = casesIn(join(root, "fixtures/bugs/cases"));
/** Cases that are not played, by reason; options that a case needs because a recording says otherwise. */
const { notOurs, adapted } = read(join(root, "fixtures/bugs/cases.json"));
const reasonFor = new Map(notOurs.flatMap(({ ids, reason }) => ids.map((id) => [id, reason])));
const envTests = new Set(
  readdirSync(new URL("env/", import.meta.url))
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => name.split(".")[0]),
);

for (const { id, description, input, expected } of [...given, ...own]) {
  if (input.kind === "env" || reasonFor.has(id)) continue;
  test(`${id} ${description}`, async (t) => {
    const player = playerOf(input);
    assert.ok(player, `not implemented: kind ${input.kind}`);
    const printed = [];
    for (const name of ["log", "info", "warn", "error", "debug"]) {
      t.mock.method(console, name, (...args) => void printed.push(args.join(" ")));
    }
    // Fake time and real input do not mix: only the kinds that wait for time get it.
    const time = ["loop", "provider-stream"].includes(input.kind) ? fakeTime(t) : undefined;
    const host = { steersman, time, prototypeKeys, printed, unhandled: unhandledRejections };
    const { options, expected: recorded } = adapted[id] ?? {};
    const stoodFor = await player(host, input, { ...expected, ...recorded }, options);
    if (stoodFor) t.diagnostic(`${id}: played with chat completions in place of ${stoodFor}`);
  });
}

test("every case is played, has a test of its own, or is listed with a reason", (t) => {
  const ids = given.map(({ id }) => id);
  const env = given.filter(({ input }) => input.kind === "env").map(({ id }) => id);
  const missing = env.filter((id) => !reasonFor.has(id) && !envTests.has(id));
  assert.deepEqual(missing, [], "cases of kind env without a test in env/");
  if (given.length > 0) {
    assert.deepEqual(
      [...reasonFor.keys()].filter((id) => !ids.includes(id)),
      [],
      "listed, but there is no such case",
    );
    assert.deepEqual(
      [...envTests].filter((id) => !env.includes(id)),
      [],
      "a test in env/, but no such case",
    );
  } else t.diagnostic("no ../shared here: only own cases are played");
  const envCount = env.filter((id) => envTests.has(id)).length;
  const files = given.length - env.length - [...reasonFor.keys()].filter((id) => !env.includes(id)).length;
  t.diagnostic(
    `figures: bug cases: ${files} file, ${envCount} env, ${reasonFor.size} not ours, ${own.length} own`,
  );
  for (const { reason, ids: some } of notOurs) t.diagnostic(`not ours (${reason}): ${some.join(" ")}`);
  for (const [id, { reason }] of Object.entries(adapted)) t.diagnostic(`${id} is played ${reason}`);
});
