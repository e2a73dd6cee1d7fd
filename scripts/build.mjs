// Builds the publishable package in npm/: Rust -> wasm -> glue -> bundles and types. `npm run build [-- --force]`.
// Two steps, each skipped while its inputs are unchanged:
//   wasm    npm/pkg    glue, optimised module, the module as text (inline.mjs)
//   bundle  npm/dist   one file per npm/src/entry/*.ts with shared chunks, .d.ts files, the modules as files
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { bin, hashOf, isMain, must, root, run, since, targetDir, tsc, walk } from "./common.mjs";
import { nameChunks } from "./chunk-names.mjs";
import { attachType, shortenNames, withSecond } from "./glue.mjs";
import { leanGlue } from "./lean-glue.mjs";
import { minifyAll } from "./minify.mjs";
import { writeNotices } from "./notices.mjs";
import { ownNames } from "./own-names.mjs";
import { decoderTypes, inlineSources, inlineTypes } from "./inline.mjs";
import { takeOut } from "./parts.mjs";
import { buildNeeds, ensure } from "./setup.mjs";
import { takeOutUnused } from "./unused.mjs";

/**
 * The oldest browsers (and Node) the package runs in. `wasmFeatures` is what all of them know. Chrome before 114 refuses
 * to compile more than 4 kB in a synchronous call on the main thread, as the default entry does.
 */
export const floor = ["chrome114", "firefox115", "safari16.4", "node20"];
export const wasmFeatures = [
  "mutable-globals",
  "sign-ext",
  "nontrapping-float-to-int",
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "reference-types",
  "call-indirect-overlong",
];
export const wasmFeatureFlags = ["--mvp-features", ...wasmFeatures.map((feature) => `--enable-${feature}`)];

const wasmOptFlags = [
  // Blocks and branches are found anew, which leaves fewer of them than the compiler made.
  ...["--flatten", "--rereloop"],
  // Twice: the first time leaves more to be found.
  ...["-Oz", "-Oz"],
  // Copies between locals that are left go, and locals that can be are one.
  ...["--merge-locals", "--coalesce-locals-learning", "--reorder-locals"],
  "--strip-producers",
  "--strip-target-features",
  // The stack lies below everything else, and its last kilobyte is only reached by overflowing.
  "--low-memory-unused",
];

/** With so much of it all data lies below 2^20, where an address takes a byte less. */
const stackSize = 983_040;

/** What only `steersman/session` calls is a module of its own, which comes with it. */
const sessionExports = ["sessionCall", "dropSession"];

/** The names of the operations that the module asks a run for, in order: `enum Op` in `src/js/host.rs`. */
export function operations() {
  const [, variants] = /enum Op \{([^}]*)\}/.exec(readFileSync(join(root, "src/js/host.rs"), "utf8"));
  return [...variants.matchAll(/^ *(\w)(\w*),/gm)].map(([, first, rest]) => first.toLowerCase() + rest);
}

/** Every operation's method has its number for a name, so that nobody needs a list of them. */
function numbered() {
  const source = ["run.ts", "run-events.ts"].map((file) =>
    readFileSync(join(root, "npm/src/engine", file), "utf8"),
  );
  const names = operations();
  for (const name of names)
    if (!source.some((text) => text.includes(` _${name}(`)))
      throw new Error(`HostRun has no method _${name}`);
  return Object.fromEntries(names.map((name, op) => [`_${name}`, `o${op}`]));
}

/**
 * Options of esbuild without which the sources make no working package: the glue is made lean, private members of the
 * shell's classes get short names, and the methods that the module calls those it calls them by.
 */
export const fromSources = () => ({
  // The queues are looked at by the property tests: no public way shows both.
  mangleProps: new RegExp(`^(?:_[a-z].*|${ownNames.join("|")})$`),
  reserveProps: /^_inbox$/,
  mangleCache: numbered(),
  // The module in the JavaScript is made of characters beyond ASCII; escaped they would be three times as long.
  charset: "utf8",
  plugins: [lean],
});

const pkg = join(root, "npm/pkg");
const dist = join(root, "npm/dist");
const wasmFile = join(pkg, "steersman_bg.wasm");

/**
 * Entries that nobody uses without an agent count as users of the shell: what they share with it stays with it. Apart,
 * every group of shared files would be a file of its own to load, and would compress worse. In the same way entries for
 * sessions count as users of all of `steersman/session`.
 */
const together = {
  name: "together",
  setup(building) {
    const add = (name, source, entries) => {
      building.onResolve({ filter: new RegExp(`^steersman:${name}$`) }, () => ({ path: join(root, source) }));
      return ({ path }) => (entries.test(path) ? `import "steersman:${name}";\n` : "");
    };
    const added = [
      add("shell", "npm/src/index.ts", /\/(adapters\/.*|html|models|pi-0\.85|session|stores|testing)\.ts$/),
      // Needed with the first module as with the second: no file of its own.
      add("unpack", "npm/src/engine/unpack.ts", /./),
      add("session", "npm/src/session/index.ts", /\/(html|stores)\.ts$/),
    ];
    building.onLoad({ filter: /\/src\/entry\// }, (file) => ({
      contents: readFileSync(file.path, "utf8") + added.map((lines) => lines(file)).join(""),
      loader: "ts",
    }));
  },
};

/** The glue that is bundled: what wasm-bindgen wrote without what nobody needs. */
const lean = {
  name: "lean",
  setup(building) {
    building.onLoad({ filter: /\/pkg\/steersman\.js$/ }, ({ path }) => ({
      contents: leanGlue(readFileSync(path, "utf8")),
    }));
  },
};

/** Runs `step` unless `out` was made from the same inputs; the stamp is written last. */
async function stepFor(name, out, inputs, force, step) {
  const stamp = join(out, ".inputs");
  if (!force && existsSync(stamp) && readFileSync(stamp, "utf8") === inputs) return false;
  const start = performance.now();
  await step();
  writeFileSync(stamp, inputs);
  console.log(`build: ${name}: ${since(start)}`);
  return true;
}

async function buildWasm() {
  // Panic locations hold source paths: without this the module would carry the folders of the build machine.
  await must("cargo", ["fetch", "-q", "--target", "wasm32-unknown-unknown"]);
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  const mirrors = existsSync(registry) ? readdirSync(registry) : [];
  const sysroot = (await must("rustc", ["--print", "sysroot"])).trim();
  const remap = [
    [`${root}/`, ""],
    ...mirrors.map((mirror) => [join(registry, mirror, "/"), "crates/"]),
    [join(sysroot, "lib/rustlib/src/rust/"), "rust/"],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  // The stack comes first, the data behind it. What the linker knows stays in the module for a while (linked.mjs).
  // Loops stay as they are written: what is computed ahead of them takes locals, and they get longer (0.6 kB).
  const loops = ["-Cllvm-args=-disable-lsr", "-Cllvm-args=-disable-machine-licm"];
  const flags = [...remap, `-Clink-arg=-zstack-size=${stackSize}`, "-Clink-arg=--emit-relocs", ...loops];
  // As a `cdylib` alone: for a crate that is also an `rlib` cargo leaves the optimisation across crates (`lto`) out.
  const target = ["--release", "--target", "wasm32-unknown-unknown", "--crate-type", "cdylib"];
  await must("cargo", ["rustc", "--package", "steersman", "--lib", "--features", "js", ...target], {
    env: { CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f"), CARGO_TARGET_DIR: targetDir },
  });
  const work = `${pkg}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const linked = readFileSync(join(targetDir, "wasm32-unknown-unknown/release/steersman.wasm"));
  const { wasm, own } = takeOutUnused(linked, sessionExports);
  const used = join(work, "used.wasm");
  writeFileSync(used, wasm);
  await must("wasm-bindgen", [
    used,
    ...["--target", "web", "--out-dir", work, "--out-name", "steersman"],
    // The loader gives the bytes, so the glue names no file that a bundler would look for.
    "--omit-default-module-path",
    // After a trap the loader puts a fresh instance behind the same exports.
    "--experimental-reset-state-function",
  ]);
  rmSync(used);
  const plain = join(work, "steersman_bg.wasm");
  const optimised = join(work, "optimised.wasm");
  await must(bin("wasm-opt"), [...wasmOptFlags, ...wasmFeatureFlags, plain, "-o", optimised]);
  const glue = join(work, "steersman.js");
  const short = shortenNames(readFileSync(optimised), readFileSync(glue, "utf8"));
  rmSync(optimised);
  const moved = sessionExports.map((name) => short.exports.get(name));
  const { first, second } = takeOut(short.wasm, moved, own);
  if (![first, second].every((module) => WebAssembly.validate(module)))
    throw new Error("a part is no module");
  writeFileSync(plain, first);
  writeFileSync(join(work, "session.wasm"), second);
  writeFileSync(glue, withSecond(short.glue, moved));
  appendFileSync(join(work, "steersman.d.ts"), attachType);
  const sources = await inlineSources({ inline: first, session: second }, stackSize, work);
  for (const [name, source] of Object.entries(sources)) {
    writeFileSync(join(work, `${name}.js`), source);
    writeFileSync(join(work, `${name}.d.ts`), name === "decoder" ? decoderTypes : inlineTypes);
  }
  swap(work, pkg);
}

async function bundle() {
  const entries = walk(join(root, "npm/src/entry"), (file) => file.endsWith(".ts"));
  if (entries.length === 0) throw new Error("npm/src/entry holds no entry");
  const work = `${dist}.new`;
  rmSync(work, { recursive: true, force: true });
  const { build } = await import("esbuild");
  const { metafile } = await build({
    entryPoints: entries,
    outdir: work,
    bundle: true,
    format: "esm",
    splitting: true,
    chunkNames: "chunk-[hash]",
    target: floor,
    minify: true,
    ...fromSources(),
    sourcemap: true,
    metafile: true,
    legalComments: "none",
    plugins: [together, lean],
    // What `together` adds is there for its place only.
    logOverride: { "ignored-bare-import": "silent" },
    logLevel: "warning",
  });
  nameChunks(work, metafile.outputs);
  await minifyAll(work);
  for (const file of readdirSync(work).filter((name) => name.endsWith(".map"))) slimMap(join(work, file));
  copyFileSync(wasmFile, join(work, "steersman.wasm"));
  copyFileSync(join(pkg, "session.wasm"), join(work, "session.wasm"));
  swap(work, dist);

  copyFileSync(join(root, "LICENSE"), join(root, "npm/LICENSE"));
  // The part of the README for users of the package; the rest is about the repository.
  const readme = readFileSync(join(root, "README.md"), "utf8").split(
    "<!-- end of the package's README -->",
  )[0];
  writeFileSync(join(root, "npm/README.md"), `${readme.trim()}\n`);
  rmSync(join(root, "npm/docs"), { recursive: true, force: true });
  cpSync(join(root, "docs"), join(root, "npm/docs"), { recursive: true });
  const bundled = Object.keys(metafile.inputs).map(
    (file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1],
  );
  await writeNotices(join(root, "npm/THIRD-PARTY-NOTICES.txt"), new Set(bundled.filter(Boolean)));

  const emit = [
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    "--outDir",
    join(dist, "types"),
  ];
  await must(tsc, ["-p", join(root, "npm"), ...emit]);
}

/**
 * Takes the inline module and the catalogue out of a source map: nobody reads them, and they would be shipped twice.
 * Without any text Vite warns of a missing source.
 */
function slimMap(file) {
  const map = JSON.parse(readFileSync(file, "utf8"));
  map.sourcesContent = map.sourcesContent?.map((text, i) =>
    ["inline.js", "session.js", "catalog.json"].includes(basename(map.sources[i])) ? "// left out\n" : text,
  );
  writeFileSync(file, JSON.stringify(map));
}

function swap(from, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(join(to, ".."), { recursive: true });
  renameSync(from, to);
}

/** Brings npm/ up to date; returns whether anything had to be built. The needs must be met (`buildNeeds`). */
export async function build({ force = false } = {}) {
  const at = (...names) => names.map((name) => join(root, name));
  const tools = (await run("rustc", ["--version"])).out + (await run("wasm-bindgen", ["--version"])).out;
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const binaryen = JSON.parse(lock).packages["node_modules/binaryen"].version;
  const rust = [
    ...at("Cargo.toml", "Cargo.lock", "wire/Cargo.toml", "scripts/build.mjs", "scripts/glue.mjs"),
    ...at("scripts/inline.mjs", "scripts/streams.mjs", "scripts/characters.mjs", "scripts/wasm-reader.mjs"),
    ...at("scripts/join.wat", "scripts/parts.mjs", "scripts/linked.mjs", "scripts/unused.mjs"),
    ...at("scripts/wasm-functions.mjs"),
    ...walk(join(root, "src")),
    ...walk(join(root, "wire/src")),
  ];
  const madeWasm = await stepFor("wasm", pkg, hashOf(rust, tools, binaryen), force, buildWasm);
  const typescript = [
    ...at("npm/package.json", "npm/tsconfig.json", "tsconfig.base.json", "LICENSE", "README.md"),
    ...at(
      "scripts/build.mjs",
      "scripts/chunk-names.mjs",
      "scripts/lean-glue.mjs",
      "scripts/link.mjs",
      "scripts/minify.mjs",
      "scripts/notices.mjs",
      "scripts/own-names.mjs",
    ),
    ...walk(join(root, "npm/src")),
    ...walk(join(root, "docs")),
    ...walk(pkg),
  ];
  const madeBundle = await stepFor("bundle", dist, hashOf(typescript, lock), force, bundle);
  return madeWasm || madeBundle;
}

if (isMain(import.meta.url)) {
  try {
    if ((await ensure(buildNeeds)).length > 0) process.exit(1);
    if (!(await build({ force: process.argv.includes("--force") }))) console.log("build: up to date");
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
