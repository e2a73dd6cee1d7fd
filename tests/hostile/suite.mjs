// The hostile tests as one suite, for Node and for a page: no Node API is used here.
import { busy } from "./busy.mjs";
import { crashes } from "./crash.mjs";
import { fuzz } from "./fuzz.mjs";
import { matrix } from "./matrix.mjs";
import { strangeValues } from "./strange.mjs";

/**
 * @param host `{steersman, testing, realm}`: the package, its entry for tests, constructors of another realm
 * @param seeds `{from, count}` of the fuzz run
 * @param log takes the lines of the printed matrices
 * @returns per part: name, how many passed, what failed
 */
export async function hostile(host, seeds, log) {
  const parts = [];
  const part = async (name, run) => {
    log(`--- ${name}`);
    parts.push({ name, ...(await run()) });
  };
  await part("methods called in every place", () => matrix(host, log));
  await part("strange values in every slot", () => strangeValues(host, log));
  await part(`fuzz, seeds from ${seeds.from}`, () => fuzz(host, seeds.from, seeds.count));
  await part("slow machines and busy pages", () => busy(host));
  await part("crashes of the engine", () => crashes(host));
  return parts;
}
