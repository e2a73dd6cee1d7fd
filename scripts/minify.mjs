// A second minifier behind esbuild's: it knows what is used once, what is never read and what a function could do without.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { link } from "./link.mjs";

const options = {
  module: true,
  ecma: 2022,
  // Sequences and inlined functions are shorter, but repeat less of what the compressor has seen; functions side by
  // side repeat more of it.
  compress: { ecma: 2022, passes: 2, sequences: false, inline: 1, hoist_funs: true },
};

/** Minifies every JavaScript file of a folder, and keeps its source map true. */
export async function minifyAll(folder) {
  // Here, because the set-up that installs it imports this file.
  const { minify } = await import("terser");
  const files = new Map();
  for (const name of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js"))) {
    const file = join(folder, name);
    const before = readFileSync(file, "utf8");
    const content = readFileSync(`${file}.map`, "utf8");
    const sourceMap = { content, includeSources: true, url: `${basename(name)}.map`, asObject: true };
    const { code, map } = await minify(before, { ...options, sourceMap });
    // A file that is data gains nothing.
    const gains = code.length < before.length;
    files.set(name, gains ? { code, map } : { code: before, map: JSON.parse(content) });
  }
  link(files);
  for (const [name, { code, map }] of files) {
    writeFileSync(join(folder, name), code);
    writeFileSync(join(folder, `${name}.map`), JSON.stringify(map));
  }
}
