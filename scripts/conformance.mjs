// What both conformance checks share: which suites are played against which entry, and what may differ.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, sharedDir } from "./common.mjs";

/** Recorded versions of the API we stand in for, each with the entry of ours that follows it. */
export const versions = [
  { version: "1.6.0", entry: "index" },
  { version: "0.85.1", entry: "pi-0.85" },
].filter(({ entry }) => existsSync(join(root, "npm/dist", `${entry}.js`)));

/** Seeds that shake the timing of every callback: what is observed must stay the same. */
export const jitters = [1, 2, 3, 4, 5];

/** One line for the report of `npm test`: what one version gave, without jitter and with each seed. */
export function figures(version, results) {
  const parts = results.map(({ jitter, passed, failed, deviations: differing }) => {
    const timing = jitter === undefined ? "" : `jitter ${jitter}: `;
    return `${timing}${passed} passed, ${differing} deviations${failed > 0 ? `, ${failed} FAILED` : ""}`;
  });
  return `figures: recordings of ${version}: ${parts.join("; ")}`;
}

/** Where the recordings are, or undefined. */
export const recordings = () => sharedDir() && join(sharedDir(), "conformance");

/** Lists of scenarios in which we differ on purpose, each with its reason: the suite's own, and ours. */
export const deviationFiles = () =>
  [join(recordings(), "deviations-allowed.json"), join(root, "fixtures/deviations.json")].filter(existsSync);

/** Ids that may differ from the recordings of `version`. */
export const deviations = (version) =>
  new Set(
    deviationFiles()
      .flatMap((file) => JSON.parse(readFileSync(file, "utf8")))
      .filter((item) => !item.version || item.version === version)
      .map(({ id }) => id),
  );

/** Every JSON file of a folder, parsed, in order of its name. */
export const jsonFiles = (dir) =>
  existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")))
    : [];

/** The project's own scenarios (played everywhere, also where there are no recordings). The Rust shell plays the first. */
export const ownScenarios = () =>
  ["fixtures/scenarios", "fixtures/scenarios/js"].flatMap((dir) => jsonFiles(join(root, dir)));
