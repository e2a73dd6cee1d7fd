// The rules of who may know whom, read from the sources, and the promises about what is shipped, read from the build.
import { existsSync, readFileSync } from "node:fs";
import { devNull, homedir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { floor, wasmFeatureFlags } from "../build.mjs";
import { bin, must, Report, root, walk } from "../common.mjs";
import { ownNames } from "../own-names.mjs";

const report = new Report();
const read = (file) => readFileSync(file, "utf8");
const short = (file) => relative(root, file);

/** Rust or TypeScript without comments, so that a rule may be explained where it holds. Keeps line numbers. */
const code = (file) =>
  read(file).replace(
    /\/\*[\s\S]*?\*\/|(^|[^:"'`])\/\/.*$/gm,
    (match, before = "") => before + match.replace(/[^\n]/g, " ").slice(before.length),
  );

/** Fails for every line of `files` that matches `pattern`. */
function forbid(name, files, pattern, text = code) {
  const found = files.flatMap((file) =>
    text(file)
      .split("\n")
      .flatMap((line, i) => (pattern.test(line) ? [`${short(file)}:${i + 1}: ${line.trim()}`] : [])),
  );
  report.check(found.length === 0, name, found.join("\n"));
}

const rust = (dir) => walk(join(root, dir), (file) => file.endsWith(".rs"));
const typescript = (dir) => walk(join(root, dir), (file) => /\.tsx?$/.test(file));
const shells = ["src/js/", "src/web/"].map((dir) => join(root, dir));
const engine = rust("src").filter((file) => !shells.some((dir) => file.startsWith(dir)));
const js = [...rust("src/js"), ...rust("src/web")];

// --- Sources
forbid(
  "the engine knows no JavaScript",
  [...engine, ...rust("wire/src")],
  /\b(web_sys|js_sys|wasm_bindgen)\b/,
);
forbid(
  "RefCell only in src/slot.rs",
  [...rust("src"), ...rust("wire/src")].filter((file) => short(file) !== "src/slot.rs"),
  /\bRefCell\b/,
);
forbid("no JavaScript snippets", rust("src"), /wasm_bindgen\s*\([^)]*\b(module|inline_js)\b/);
forbid(
  "only npm/src/engine imports the wasm glue",
  typescript("npm/src").filter((file) => !short(file).startsWith("npm/src/engine/")),
  /from\s+["'][^"']*\/pkg\//,
);
forbid(
  "demo, examples and package tests use the published package only",
  ["www", "examples", "pkg-tests"].flatMap((dir) =>
    walk(join(root, dir), (file) => /\.(m?[jt]sx?)$/.test(file)),
  ),
  /from\s+["'][^"']*npm\/(src|dist|pkg)/,
);

const tree = await must("cargo", [
  "tree",
  "-p",
  "steersman",
  "--no-default-features",
  "-e",
  "normal",
  "--prefix",
  "none",
]);
report.check(
  !/^(wasm-bindgen|js-sys|web-sys)\b/m.test(tree),
  "the engine alone does not depend on wasm-bindgen",
  tree,
);

/** Long files hide their rules; what is longer should be two files. */
const longest = 450;
const sources = [...rust("src"), ...rust("wire/src"), ...typescript("npm/src")];
const long = sources
  .map((file) => [short(file), read(file).split("\n").length])
  .filter(([, lines]) => lines > longest);
report.check(
  long.length === 0,
  `no source file above ${longest} lines`,
  long.map((entry) => entry.join(": ")).join("\n"),
);

/**
 * Imports without `catch` are for types whose JavaScript side cannot throw. Everything else that JavaScript does for
 * Rust can run into user code, and an exception that passes through Rust frames leaves their state torn.
 */
const cannotThrow = new Map([["Answer", "arrays made by our own TypeScript, read by index"]]);
/** Functions of the language that throw for no text, no number and not for `undefined`. */
const language = /js_name = (Number|String)\b/;
for (const file of js) {
  for (const [, block] of code(file).matchAll(/extern\s+"C"\s*\{([\s\S]*?)\n\s*\}/g)) {
    const imported = /((?:#\[[^\]]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?fn\s+(\w+)\s*\((?:\s*this:\s*&(\w+))?/g;
    for (const [, attributes, name, type] of block.matchAll(imported)) {
      const ok =
        /\bcatch\b/.test(attributes) ||
        language.test(attributes) ||
        (cannotThrow.has(type) && /getter\b/.test(attributes));
      report.check(
        ok,
        `${short(file)}: import ${name} has no catch, and its type is not one that cannot throw`,
      );
    }
  }
}

// --- Names that the build makes short
const dist = join(root, "npm/dist");
const lib = walk(join(root, "node_modules/typescript-5/lib"), (file) => /\/lib\..*\.d\.ts$/.test(file));
/** The declarations that those of the entries lead to. */
const declared = new Set(walk(join(dist, "types/entry"), (file) => file.endsWith(".d.ts")));
for (const file of declared)
  for (const [, path] of read(file).matchAll(/(?:from |import\()"(\.[^"]*)\.js"/g))
    declared.add(join(file, "..", `${path}.d.ts`));
const own = ownNames.join("|");
forbid("own names are not public", [...declared], new RegExp(`\\b(${own})\\b`));
forbid("own names are not of the platform", lib, new RegExp(`^\\s*(readonly )?(${own})\\??[:(<]`));
forbid("own names are no texts", typescript("npm/src"), new RegExp(`["'\`](${own})["'\`]`));
forbid("own names are not for the engine", [...rust("src"), ...rust("wire/src")], new RegExp(`"(${own})"`));

// --- What is committed
const listed = (await must("git", ["ls-files", "-z"])).split("\0").filter(Boolean);
const committed = listed.map((file) => join(root, file)).filter((file) => existsSync(file));
// Not this file: it names what it looks for.
const texts = committed.filter(
  (file) => !/\.(png|ico)$/.test(file) && file !== fileURLToPath(import.meta.url),
);
forbid("no paths of a machine", texts, /(^|[\s"'`(=:])\/(work|root|tmp|home|Users)\/\w/, read);
forbid(
  "no host of a package registry",
  texts,
  /registry\.npmjs|registry\.yarnpkg|pythonhosted|(static|index)\.crates\.io|deb\.debian/,
  read,
);
const lock = JSON.parse(read(join(root, "package-lock.json"))).packages;
const fetched = Object.entries(lock).filter(([, { resolved, link }]) => resolved && !link);
report.check(
  fetched.length === 0,
  "package-lock.json names no download address",
  fetched.map(([name]) => name).join("\n"),
);

// --- What is built
const scripts = walk(dist, (file) => file.endsWith(".js"));
const glue = join(root, "npm/pkg/steersman.js");
report.check(scripts.length > 0, "npm/dist holds scripts");
forbid(
  "no eval in glue and bundles",
  [glue, ...scripts],
  /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/,
  read,
);
forbid("no blob worker, no shared memory", scripts, /createObjectURL|SharedArrayBuffer/, read);

const wasm = readFileSync(join(dist, "steersman.wasm"));
const module = new WebAssembly.Module(wasm);
const imports = WebAssembly.Module.imports(module);
const names = imports.map(({ module: from, name }) => `${from} ${name}`);
report.check(
  imports.every((item) => item.module === "./steersman_bg.js"),
  "the module imports from its glue only",
  names.join("\n"),
);
// It does not say itself what it uses; validation finds what is more.
await report.attempt("the module uses only wasm features of the browser floor", () =>
  must(bin("wasm-opt"), [join(dist, "steersman.wasm"), ...wasmFeatureFlags, "-o", devNull]),
);

const strings = wasm.toString("latin1");
const machine = [`${root}/`, `${homedir()}/`, "/registry/src/"];
const leaked = machine.filter((path) => path.length > 1 && strings.includes(path));
report.check(leaked.length === 0, "the module carries no path of the build machine", leaked.join("\n"));

// An IIFE cannot hold a top-level await, so bundling to one proves there is none; the metafile tells `import()`.
for (const file of walk(dist, (path) => path.endsWith(".js") && !/chunk-/.test(path))) {
  await report.attempt(`${short(file)} has no top-level await and no import()`, async () => {
    const options = {
      entryPoints: [file],
      bundle: true,
      format: "iife",
      write: false,
      metafile: true,
      target: floor,
    };
    const { metafile } = await build({ ...options, logLevel: "silent" });
    const lazy = Object.entries(metafile.inputs).filter(([, { imports }]) =>
      imports.some(({ kind }) => kind === "dynamic-import"),
    );
    if (lazy.length > 0) throw new Error(`import() in ${lazy.map(([name]) => name).join(", ")}`);
  });
}

console.log(`wasm imports: ${names.length}`);
report.finish();
