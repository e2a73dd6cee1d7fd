// The size a page pays: every file in the import closure of npm/dist/index.js plus npm/dist/session.js (shared
// files once), each compressed alone, the wasm as shipped (its text counts as the file that holds it).
// Prints raw, gzip and brotli per file; the brotli sum must stay below the limit.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { Report, root } from "./common.mjs";

/** What the default entry is to come down to. */
const goal = 100_000;
/** What it must not exceed today: a ratchet, to be lowered with every saving until it is the goal. */
const limit = 207_900;
const dist = join(root, "npm/dist");

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

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

const entries = ["index.js", "session.js"].map((name) => join(dist, name)).filter(existsSync);
const rows = (await closure(entries)).map((file) => {
  const bytes = readFileSync(file);
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  return [relative(dist, file), ...sizes];
});
const total = rows.reduce((sum, row) => sum.map((value, i) => value + row[i + 1]), [0, 0, 0]);
const wasm = readFileSync(join(dist, "steersman.wasm"));

const print = (name, ...sizes) =>
  console.log(name.padEnd(30) + sizes.map((size) => String(size).padStart(10)).join(""));
print("file", "raw", "gzip-9", "brotli-11");
for (const row of rows) print(...row);
print("total", ...total);
print("(steersman.wasm alone)", wasm.length, gzipSync(wasm, { level: 9 }).length, brotli(wasm));

console.log(`goal ${goal}: ${total[2] <= goal ? "reached" : `${total[2] - goal} bytes above it`}`);
const report = new Report();
report.check(total[2] <= limit, "size", `${total[2]} bytes of brotli, the limit is ${limit}`);
report.finish();
