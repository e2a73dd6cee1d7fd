// The size a page pays: every file in the import closure of npm/dist/index.js, and of that and npm/dist/session.js
// together (shared files once), each compressed alone, the wasm as shipped (its text counts as the file that holds it).
// Prints raw, gzip and brotli per file; the brotli sums must stay below the limits.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { brotliSize, Report, root } from "./common.mjs";

/** What they must not exceed: the gate of the default entry, and with sessions a ratchet, to be lowered with every saving. */
const limit = { "index.js": 100_000, "with session.js": 152_400 };
const dist = join(root, "npm/dist");

/** Every file that loading `entries` loads. */
async function closure(entries) {
  const { metafile } = await build({
    entryPoints: entries,
    bundle: true,
    format: "esm",
    outdir: "unused",
    write: false,
    metafile: true,
    absWorkingDir: root,
    logLevel: "error",
  });
  return Object.keys(metafile.inputs)
    .map((file) => join(root, file))
    .sort();
}

const print = (name, ...sizes) =>
  console.log(name.padEnd(30) + sizes.map((size) => String(size).padStart(10)).join(""));
const sizesOf = (bytes) => [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliSize(bytes)];

const report = new Report();
const measured = new Set();
let sum = [0, 0, 0];
print("file", "raw", "gzip-9", "brotli-11");
for (const [name, entries] of [
  ["index.js", ["index.js"]],
  ["with session.js", ["index.js", "session.js"]],
]) {
  for (const file of await closure(entries.map((entry) => join(dist, entry)).filter(existsSync))) {
    if (measured.has(file)) continue;
    measured.add(file);
    const sizes = sizesOf(readFileSync(file));
    print(relative(dist, file), ...sizes);
    sum = sum.map((value, i) => value + sizes[i]);
  }
  print(`= ${name}`, ...sum);
  report.check(sum[2] <= limit[name], name, `${sum[2]} bytes of brotli, the limit is ${limit[name]}`);
}
print("(steersman.wasm alone)", ...sizesOf(readFileSync(join(dist, "steersman.wasm"))));
report.finish();
