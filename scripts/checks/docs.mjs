// The code blocks of README.md and docs/: every ```ts block is type-checked against the package; a ```ts run block is
// also run, and a ```text block right after it is what it prints. Names that a block does not declare come from
// tests/docs/prelude.ts. A ```rust block is a part of an example, whose text is looked for without its indents.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";
import ts from "typescript-5";
import { must, Report, root, run, tsc, walk } from "../common.mjs";

const report = new Report();
// Inside of the repository, so that `steersman` is found.
const work = join(root, "target/docs");
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
copyFileSync(join(root, "tests/docs/prelude.ts"), join(work, "prelude.ts"));

const pages = [join(root, "README.md"), ...walk(join(root, "docs"), (file) => file.endsWith(".md"))];
const blocks = pages.flatMap((page) => blocksOf(page));
const code = blocks.filter(({ kind }) => /^ts( run)?$/.test(kind));
report.check(code.length > 0, "README and docs hold ```ts blocks");
// A kind with a slip in it would never be looked at.
for (const { kind, place } of blocks) {
  report.check(
    /^(ts( run)?|rust|text|diff|sh|html|json|toml|)$/.test(kind),
    `${place}: unknown kind of block "${kind}"`,
  );
}

const unindented = (text) => text.replace(/^\s+/gm, "").trim();
const examples = walk(join(root, "examples"), (file) => file.endsWith(".rs")).map((file) =>
  unindented(readFileSync(file, "utf8")),
);
for (const { text, place } of blocks.filter(({ kind }) => kind === "rust"))
  report.check(
    examples.some((example) => example.includes(unindented(text))),
    `${place} is in an example`,
  );

for (const block of code) {
  writeFileSync(join(work, block.file), `import "./prelude.js";\n${block.text}\nexport {};\n`);
}
writeFileSync(
  join(work, "tsconfig.json"),
  JSON.stringify({
    extends: relative(work, join(root, "tsconfig.base.json")),
    // Examples declare things to show how.
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ["."],
  }),
);
const { code: exit, out } = await run(tsc, ["-p", work, "--noEmit", "--pretty", "false"]);
for (const { file, place } of code) {
  const errors = out.split("\n").filter((line) => line.includes(`${file}(`));
  report.check(
    errors.length === 0,
    `${place} compiles (lines count from one above the block)`,
    errors.join("\n"),
  );
}
report.check(exit === 0 || report.failed > 0, "tsc", out);

const runnable = code.filter(({ kind }) => kind === "ts run");
await build({
  entryPoints: ["prelude.ts", ...runnable.map(({ file }) => file)].map((file) => join(work, file)),
  outdir: work,
  format: "esm",
  target: "node20",
});
for (const block of runnable) {
  const script = join(work, block.file.replace(/ts$/, "js"));
  await report.attempt(`${block.place} runs`, async () => {
    const printed = await must(process.execPath, [script], { seconds: 60 });
    const next = blocks[blocks.indexOf(block) + 1];
    if (!next || next.kind !== "text" || next.page !== block.page || next.follows !== block) return;
    if (printed.trim() !== next.text.trim()) throw new Error(`printed\n${printed}\ninstead of\n${next.text}`);
  });
}
console.log(`figures: ${code.length} blocks compiled, ${runnable.length} of them run`);
named();
report.finish();

/** Every hook, error code, event and limit of the types is named on its page. */
function named() {
  const entry = join(root, "npm/dist/types/entry/index.d.ts");
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
    types: [],
    ...{ strict: true, skipLibCheck: true },
  });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
  const typeOf = (name) => {
    const symbol = exported.find((one) => one.name === name);
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return checker.getDeclaredTypeOfSymbol(real);
  };
  const membersOf = (name) => typeOf(name).getProperties();
  const isHook = (member) =>
    checker.getNonNullableType(checker.getTypeOfSymbol(member)).getCallSignatures().length > 0;
  const hooks = ["AgentOptions", "AgentLoopConfig"].flatMap(membersOf).filter(isHook);
  const events = typeOf("AgentEventWithApprovals").types.map((type) =>
    checker.getTypeOfSymbol(type.getProperty("type")),
  );
  const pages = {
    "hooks.md": hooks.map(({ name }) => name).filter((name) => name !== "fetch"),
    // A pattern of codes is written with an ellipsis.
    "errors.md": typeOf("AgentErrorCode").types.map((type) => type.value ?? "storage_…"),
    "events.md": events.map(({ value }) => value),
    "limits.md": ["RunLimits", "RunBounds"].flatMap(membersOf).map(({ name }) => name),
  };
  for (const [page, words] of Object.entries(pages)) {
    const text = readFileSync(join(root, "docs", page), "utf8");
    const missing = words.filter((word) => !new RegExp(`(?<![\\w.])${word}(?!\\w)`).test(text));
    report.check(words.length > 0 && missing.length === 0, `docs/${page} is complete`, missing.join(", "));
    console.log(`figures: docs/${page}: ${new Set(words).size} names, all there`);
  }
}

/** The fenced blocks of a page. `follows`: the block that ends right before, with nothing but blank lines between. */
function blocksOf(page) {
  const found = [];
  const name = relative(root, page);
  let open;
  let before;
  readFileSync(page, "utf8")
    .split("\n")
    .forEach((line, index) => {
      const fence = line.match(/^```(.*)$/);
      if (!fence) {
        if (open) open.lines.push(line);
        else if (line.trim() !== "") before = undefined;
      } else if (open) {
        const { lines, ...block } = open;
        before = { ...block, text: lines.join("\n") };
        found.push(before);
        open = undefined;
      } else {
        const file = `${basename(name, ".md").toLowerCase()}-${index + 1}.ts`;
        const place = `${name}:${index + 1}`;
        open = { page, place, file, kind: fence[1].trim(), follows: before, lines: [] };
      }
    });
  report.check(!open, `${name}: every block is closed`);
  return found;
}
