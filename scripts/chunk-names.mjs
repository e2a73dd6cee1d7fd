// Chunks are called after the largest of their files: a hash in a name is bytes that nothing foretells, in every file that
// imports it, and the versions of a package need none.
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, parse } from "node:path";

/**
 * @param {string} folder
 * @param {import("esbuild").Metafile["outputs"]} outputs
 */
export function nameChunks(folder, outputs) {
  const names = new Map();
  for (const [path, { inputs }] of Object.entries(outputs)) {
    const old = basename(path);
    if (!/^chunk-.*\.js$/.test(old)) continue;
    const [[largest]] = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
    const name = `chunk-${parse(largest).name}.js`;
    if ([...names.values()].includes(name)) throw new Error(`two chunks would be called ${name}`);
    names.set(old, name);
  }
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"))) {
    const path = join(folder, file);
    const before = readFileSync(path, "utf8");
    writeFileSync(
      path,
      before.replace(/\bchunk-\w+\.js/g, (old) => names.get(old) ?? old),
    );
    if (!names.has(file)) continue;
    for (const end of ["", ".map"]) renameSync(path + end, join(folder, names.get(file) + end));
  }
}
