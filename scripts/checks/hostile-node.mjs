// Hostile applications in Node: re-entrancy, strange values, fuzz, crashes of the engine (tests/hostile).
// `--seed N` plays one seed of the fuzz run again, `--seeds N` more of them.
import { createContext, runInContext } from "node:vm";
import * as steersman from "steersman";
import * as testing from "steersman/testing";
import { fuzz } from "../../tests/hostile/fuzz.mjs";
import { hostile } from "../../tests/hostile/suite.mjs";
import { Report } from "../common.mjs";

const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

const report = new Report();
const realm = runInContext("({ Object, Array, Error, Promise })", createContext());
const host = { steersman, testing, realm };
const seed = argument("--seed");
const parts =
  seed === undefined
    ? await hostile(host, { from: 1, count: argument("--seeds") ?? 1000 }, console.log)
    : [{ name: `fuzz, seed ${seed}`, ...(await fuzz(host, seed, 1)) }];
for (const { name, passed, failures } of parts) {
  report.add(passed, 0);
  for (const failure of failures) report.check(false, failure.name, failure.detail);
  console.log(`figures: ${name}: ${passed} of ${passed + failures.length}`);
}
report.finish();
