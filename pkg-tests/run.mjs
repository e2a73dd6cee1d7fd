// The package as users get it: packed, installed into an empty folder without network, then used in Node, in a plain
// page under a strict policy, in a worker, through bundlers, and by the TypeScript compiler. Never imports a source.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import esbuild from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { launch, open, serve, strictCsp } from "../scripts/browser.mjs";
import { must, Report, root, tsc } from "../scripts/common.mjs";
import { fetchPackages } from "../scripts/packages.mjs";
import { expected } from "./consumer/app.mjs";
import * as homes from "./homes.mjs";

const report = new Report();
const app = mkdtempSync(join(tmpdir(), "steersman-app-"));
const installed = join(app, "node_modules/steersman");
const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];

// --- The tarball
const packed = await must("npm", [
  "pack",
  join(root, "npm"),
  "--pack-destination",
  app,
  "--json",
  "--ignore-scripts",
  "--silent",
]);
const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf("[")));
const names = files.map(({ path }) => path);
for (const name of [
  "package.json",
  "README.md",
  "LICENSE",
  "THIRD-PARTY-NOTICES.txt",
  "dist/steersman.wasm",
]) {
  report.check(names.includes(name), `the tarball has ${name}`);
}
const strange = names.filter(
  (name) =>
    !/^(dist\/(types\/)?[\w./-]+\.(js|js\.map|d\.ts|wasm)|docs\/[\w-]+\.md|[\w.-]+\.(md|txt|json)|LICENSE)$/.test(
      name,
    ),
);
report.check(strange.length === 0, "the tarball has nothing else", strange.join("\n"));

writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
await must("npm", ["install", ...quiet, join(app, filename)], { cwd: app });
cpSync(join(root, "pkg-tests/consumer"), app, { recursive: true });

const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const targets = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(targets));
for (const [entry, value] of Object.entries(manifest.exports)) {
  for (const target of targets(value))
    report.check(existsSync(join(installed, target)), `${entry}: ${target} is there`);
}
// Parcel reads no `exports` unless it is told to: it goes by these.
const others = Object.entries(manifest.exports).filter(([entry]) => entry !== "." && !/package/.test(entry));
const aliases = Object.fromEntries(others.map(([entry, value]) => [entry, value.default ?? value]));
report.check(isDeepStrictEqual(manifest.alias, aliases), "`alias` names every entry");
report.check(manifest.main === manifest.exports["."].default, "`main` is the default entry");
report.check(manifest.scripts === undefined || !manifest.scripts.install, "nothing runs at installation");

/** Compares what an app got with what it should have got. */
const judge = (name, result, wanted = expected) =>
  report.check(isDeepStrictEqual(result, wanted), name, JSON.stringify(result, undefined, 1));

const links = ["README.md", ...names.filter((name) => name.startsWith("docs/"))].flatMap((name) => {
  const text = readFileSync(join(installed, name), "utf8");
  return [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to]) => [name, join(dirname(name), to)]);
});
for (const [from, to] of links)
  report.check(existsSync(join(installed, to)), `${from}: the link to ${to} leads somewhere`);

// --- Node
async function node(name, code) {
  await report.attempt(`Node: ${name}`, async () => {
    const file = join(app, "try.mjs");
    writeFileSync(file, code);
    judge(
      `Node: ${name}: result`,
      JSON.parse(await must(process.execPath, [file], { cwd: app, seconds: 60 })),
    );
  });
}
const print = "console.log(JSON.stringify(await use(steersman)));";
const use = 'import { use } from "./app.mjs";';
await node("default entry", `import * as steersman from "steersman"; ${use} ${print}`);
await node(
  "slim entry with bytes",
  `import { readFileSync } from "node:fs"; import * as steersman from "steersman/slim"; ${use}
   const file = new URL(import.meta.resolve("steersman/steersman.wasm"));
   await steersman.init(readFileSync(file)); ${print}`,
);
await node(
  "external entry with a module",
  `import { readFileSync } from "node:fs"; import * as steersman from "steersman/external"; ${use}
   const file = new URL(import.meta.resolve("steersman/steersman.wasm"));
   await steersman.init(new WebAssembly.Module(readFileSync(file))); ${print}`,
);
await node(
  "require",
  `import { createRequire } from "node:module"; ${use}
   const steersman = createRequire(import.meta.url)("steersman"); ${print}`,
);
await report.attempt("importing does nothing", async () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !/\.(wasm|json)$/.test(entry));
  const code = `
    const poison = (name) => Object.defineProperty(globalThis, name, { get() { throw new Error("import used " + name); } });
    for (const name of ["WebAssembly", "fetch", "window", "document", "localStorage", "indexedDB"]) poison(name);
    for (const name of ${JSON.stringify(entries)}) await import("steersman" + name.slice(1));`;
  writeFileSync(join(app, "inert.mjs"), code);
  await must(process.execPath, [join(app, "inert.mjs")], { cwd: app, seconds: 60 });
});

// --- Types
const compilerOptions = {
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  target: "ES2022",
  types: [],
};
for (const [module, moduleResolution] of [
  ["ESNext", "Bundler"],
  ["Node16", "Node16"],
  ["NodeNext", "NodeNext"],
]) {
  const options = {
    ...compilerOptions,
    module,
    moduleResolution,
    lib: ["ES2022", "DOM", "ESNext.Disposable"],
  };
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["types.ts"] }),
  );
  await report.command(`types under ${moduleResolution}`, tsc, ["-p", app], { cwd: app });
  // Many projects stay with an older compiler for long.
  for (const [name, modules] of [
    ["5", join(root, "node_modules/typescript-5")],
    ["5.4", join(await fetchPackages("compiler"), "typescript")],
  ]) {
    const older = join(modules, "bin/tsc");
    await report.command(`types under ${moduleResolution}, TypeScript ${name}`, older, ["-p", app], {
      cwd: app,
    });
  }
}

// --- Bundles
mkdirSync(join(app, "built"));
const entryFile = join(app, "default.mjs");
const outputs = {
  esbuild: () =>
    esbuild.build({
      entryPoints: [entryFile],
      bundle: true,
      format: "esm",
      outfile: join(app, "built/esbuild/main.js"),
      logLevel: "silent",
    }),
  vite: () =>
    vite({
      root: app,
      configFile: false,
      logLevel: "silent",
      build: {
        outDir: join(app, "built/vite"),
        modulePreload: false,
        rollupOptions: { input: entryFile, output: { entryFileNames: "main.js" } },
      },
    }),
  webpack: () =>
    new Promise((done, fail) => {
      const output = { path: join(app, "built/webpack"), filename: "main.js" };
      webpack(
        { mode: "production", context: app, entry: entryFile, output, performance: false },
        (error, stats) => {
          if (error ?? stats.hasErrors())
            fail(error ?? new Error(stats.toString({ all: false, errors: true })));
          else if (stats.hasWarnings()) fail(new Error(stats.toString({ all: false, warnings: true })));
          else done();
        },
      );
    }),
  // The external entry must find its wasm file again in the output folder of a bundler.
  "vite-external": () =>
    vite({
      root: app,
      configFile: false,
      logLevel: "silent",
      base: "./",
      build: {
        outDir: join(app, "built/vite-external"),
        assetsInlineLimit: 0,
        modulePreload: false,
        rollupOptions: { input: join(app, "external.mjs"), output: { entryFileNames: "main.js" } },
      },
    }),
};
const built = [];
for (const [name, make] of Object.entries(outputs)) {
  if (await report.attempt(`${name} builds`, make)) built.push(name);
}

// --- Pages
const browser = await launch();
const page = (script) => ({
  type: ".html",
  body: `<!doctype html><title>app</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`,
});

/** Opens a page with `policy` and one script, and judges the result of that script. */
async function inPage(name, policy, routes, read = () => globalThis.result) {
  await report.attempt(name, async () => {
    const server = await serve(routes, { "content-security-policy": policy });
    const { page: tab, problems, close } = await open(browser, server.url);
    try {
      await tab.waitForFunction(() => globalThis.result, undefined, { timeout: 20_000 }).catch(() => {});
      judge(`${name}: result`, await tab.evaluate(read));
      report.check(problems.length === 0, `${name}: no error, no policy violation`, problems.join("\n"));
    } finally {
      await close();
      await server.close();
    }
  });
}

/** Bare names have no meaning in a page without a bundler: paths in their place. */
const plain = (file, entry) => ({
  type: ".js",
  body: readFileSync(join(app, file), "utf8").replace(
    /"steersman[^"]*"/,
    `"/node_modules/steersman/dist/${entry}.js"`,
  ),
});
const icons = "; img-src data:";
const plainFiles = {
  "/node_modules/": join(app, "node_modules"),
  "/app.mjs": plain("app.mjs", "session"),
};
await inPage("plain page, strict policy", strictCsp + icons, {
  ...plainFiles,
  "/": page("/main.js"),
  "/main.js": plain("default.mjs", "index"),
});
await inPage("plain page, external wasm", `${strictCsp}; connect-src 'self'${icons}`, {
  ...plainFiles,
  "/": page("/main.js"),
  "/main.js": plain("external.mjs", "external"),
});
const worker =
  'globalThis.result = new Promise((done) => { new Worker("/worker.js", { type: "module" }).onmessage = ({ data }) => done(data); });';
const inWorker = plain("default.mjs", "index");
inWorker.body += "\nglobalThis.result.then((value) => postMessage(value));\n";
await inPage("module worker, strict policy", strictCsp + icons, {
  ...plainFiles,
  "/": page("/main.js"),
  "/main.js": { type: ".js", body: worker },
  "/worker.js": inWorker,
});
const shared =
  'globalThis.result = new Promise((done) => { new SharedWorker("/shared.js", { type: "module" }).port.onmessage = ({ data }) => done(data); });';
const inShared = plain("default.mjs", "index");
inShared.body +=
  "\nglobalThis.onconnect = ({ ports: [port] }) => globalThis.result.then((value) => port.postMessage(value));\n";
await inPage("shared worker, strict policy", strictCsp + icons, {
  ...plainFiles,
  "/": page("/main.js"),
  "/main.js": { type: ".js", body: shared },
  "/shared.js": inShared,
});
for (const name of built) {
  const policy = name.endsWith("external") ? `${strictCsp}; connect-src 'self'${icons}` : strictCsp + icons;
  await inPage(`page built by ${name}`, policy, {
    "/": page("/built/main.js"),
    "/built/": join(app, "built", name),
    "/assets/": join(app, "built", name, "assets"),
  });
}

// --- Where code has less than a page has
for (const [name, home] of Object.entries(homes)) {
  const undo = [];
  const after = (act) => undo.unshift(act);
  await report.attempt(name, () => home({ app, report, judge, browser, installed, after }));
  for (const act of undo) await act();
}

await browser.close();
rmSync(app, { recursive: true, force: true });
report.finish();
