// Type-checks files of this repository together with packages of others (packages.mjs).
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { root, run, tsc } from "./common.mjs";
import { modulesOf } from "./packages.mjs";

/** The types of the built package. */
export const ownTypes = join(root, "npm/dist/types/entry/index.d.ts");

/** Where the work of `compileWith` lies: beside the packages of the set, so that imports of them are found. */
export const workOf = (set, folder) => join(modulesOf(set), "..", "work", folder);

/**
 * Runs the compiler over `files`: paths of the repository, or names of files that lie in the folder already.
 *
 * @param options `paths`: modules that come from elsewhere; `compilerOptions`: what differs from tsconfig.base.json
 */
export function compileWith(set, folder, files, { paths = {}, compilerOptions = {} } = {}) {
  const here = workOf(set, folder);
  mkdirSync(here, { recursive: true });
  for (const file of files.filter(isAbsolute)) copyFileSync(file, join(here, basename(file)));
  const config = {
    extends: relative(here, join(root, "tsconfig.base.json")),
    compilerOptions: {
      paths: { steersman: [ownTypes], ...paths },
      typeRoots: [join(root, "node_modules/@types")],
      types: ["node"],
      // The declarations of others are not ours to judge.
      skipLibCheck: true,
      ...compilerOptions,
    },
    files: files.map((file) => basename(file)),
  };
  writeFileSync(join(here, "tsconfig.json"), JSON.stringify(config));
  return run(tsc, ["-p", here, "--pretty", "false"], { cwd: here });
}
