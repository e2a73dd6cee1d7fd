// Packages of others that checks and benchmarks compare this one with. Exact versions, installed on demand below the
// folder of build output; they are not dependencies of this repository. Only Node built-ins, as in common.mjs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must, targetDir } from "./common.mjs";

/** Version of pi-agent-core whose API this package has. */
export const piVersion = "1.6.0";

/** The package that holds the program of a newer Node, which pi's coding agent needs. */
const node24 = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const sets = {
  "pi-0.85": { "@earendil-works/pi-agent-core": "0.85.1", "@earendil-works/pi-ai": "0.85.1" },
  pi: { "@earendil-works/pi-agent-core": piVersion, "@earendil-works/pi-ai": piVersion },
  coding: { "@earendil-works/pi-coding-agent": piVersion, [node24]: "24.22.3" },
  // Libraries whose schemas tools may be given.
  schemas: {
    zod: "4.6.7",
    valibot: "1.5.0",
    "@valibot/to-json-schema": "1.8.0",
    arktype: "2.2.10",
    typebox: "1.4.3",
    "@sinclair/typebox": "0.34.52",
  },
  // The oldest compiler that reads the declarations of the package.
  compiler: { typescript: "5.4.5" },
};

const folderOf = (set) => join(targetDir, "packages", set);

/** The `node_modules` of a set. */
export const modulesOf = (set) => join(folderOf(set), "node_modules");

/** The newer Node of a set, by its `node_modules`. */
export const node24Of = (modules) =>
  join(modules, node24, process.platform === "win32" ? "bin/node.exe" : "bin/node");

/** Is a set there, in the versions above? */
export const havePackages = (set) =>
  Object.entries(sets[set]).every(([name, version]) => {
    const manifest = join(modulesOf(set), name, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });

/** Installs a set where it is missing; gives its `node_modules`. */
export async function fetchPackages(set) {
  if (!havePackages(set)) {
    const folder = folderOf(set);
    mkdirSync(folder, { recursive: true });
    const manifest = { private: true, dependencies: sets[set] };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    await must("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  }
  return modulesOf(set);
}
