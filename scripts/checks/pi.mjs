// This package beside pi-agent-core, the API that it has: exports, members, types (tests/pi), and the code of its README,
// which is read where npm has put it and compiled with this package in its place.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript-5";
import { Report, root } from "../common.mjs";
import { compileWith, ownTypes, workOf } from "../compile-with.mjs";
import { fetchPackages } from "../packages.mjs";

const NAME = "@earendil-works/pi-agent-core";
const modules = await fetchPackages("pi");
const theirs = join(modules, NAME);
const types = {
  theirs: join(theirs, "dist/index.d.ts"),
  ours: join(root, "npm/dist/types/entry/index.d.ts"),
};
const report = new Report();
rmSync(workOf("pi", ""), { recursive: true, force: true });

await values();
members();
await overlap();
await readme();
report.finish();

/** Whatever can be imported is there, and is of the same kind; classes have the same methods. */
async function values() {
  const pi = await import(pathToFileURL(join(theirs, "dist/index.js")));
  const steersman = await import("steersman");
  const methods = (value) => Object.getOwnPropertyNames(value?.prototype ?? {}).filter(isNoConstructor);
  const isNoConstructor = (name) => name !== "constructor";
  const names = Object.keys(pi);
  for (const name of names) {
    report.check(
      typeof steersman[name] === typeof pi[name],
      `export ${name}`,
      `is ${typeof steersman[name]}`,
    );
    // Private ones are ordinary methods there: those that the types do not name are left out.
    const known = readFileSync(join(theirs, "dist/agent.d.ts"), "utf8");
    const missing = methods(pi[name]).filter(
      (method) =>
        !new RegExp(`private ${method}\\b`).test(known) && !methods(steersman[name]).includes(method),
    );
    report.check(missing.length === 0, `methods of ${name}`, missing.join(", "));
  }
  console.log(`figures: ${names.length} exported values of pi-agent-core, all here`);
}

/** Every exported type is there, with every public member. */
function members() {
  const program = ts.createProgram(Object.values(types), {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
    types: [],
    ...{ strict: true, skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true },
  });
  const checker = program.getTypeChecker();
  const exportsOf = (file) => {
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
    const real = (symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return new Map(symbols.map((symbol) => [symbol.name, real(symbol)]));
  };
  const isPublic = ({ declarations: [first] = [] }) =>
    !first || !(ts.getCombinedModifierFlags(first) & ts.ModifierFlags.Private);
  const membersOf = (symbol) => {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    // Members of strings and functions say nothing.
    const parts = (type.isUnion() ? type.types : [type]).filter((part) => part.flags & ts.TypeFlags.Object);
    return parts.flatMap((part) => part.getProperties().filter(isPublic));
  };
  const namesOf = (symbols) => new Set(symbols.map(({ name }) => name));
  const isAny = (symbol) => (checker.getTypeOfSymbol(symbol).flags & ts.TypeFlags.Any) !== 0;
  const [pi, ours] = [exportsOf(types.theirs), exportsOf(types.ours)];
  const sources = ["given", "got"].map((name) => readFileSync(join(root, `tests/pi/${name}.ts`), "utf8"));
  let count = 0;
  for (const [name, symbol] of pi) {
    if (!report.check(ours.has(name), `type of ${name}`, "missing")) continue;
    const [wanted, have] = [membersOf(symbol), membersOf(ours.get(name))];
    const missing = [...namesOf(wanted)].filter((member) => !namesOf(have).has(member));
    count += namesOf(wanted).size;
    report.check(missing.length === 0, `members of ${name}`, missing.join(", "));
    // Code that relies on `any` would no longer compile.
    const loose = namesOf(have.filter(isAny));
    const strict = [...namesOf(wanted.filter(isAny))].filter((member) => !loose.has(member));
    report.check(strict.length === 0, `members of ${name} that are any`, strict.join(", "));
    if (symbol.flags & ts.SymbolFlags.Type) {
      const compared = sources.some((source) => new RegExp(`\\bpi\\.${name}\\b`).test(source));
      report.check(compared, `tests/pi compare ${name}`);
    }
  }
  console.log(`figures: ${pi.size} exported names with ${count} members, all here`);
}

/** Compiles files with the real packages; `ours`: with this package in the place of pi-agent-core. */
function compile(folder, files, { ours, exact = false }) {
  return compileWith("pi", folder, files, {
    paths: ours ? { [NAME]: [ownTypes] } : {},
    compilerOptions: {
      exactOptionalPropertyTypes: exact,
      // As pi itself is compiled, and as examples are written.
      ...{ allowImportingTsExtensions: true, noUncheckedIndexedAccess: false },
      ...{ noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false },
    },
  });
}

async function overlap() {
  const file = (name) => join(root, `tests/pi/${name}.ts`);
  const plain = await compile("overlap", [file("given"), file("got")], { ours: false });
  report.check(plain.code === 0, "types fit", plain.out);
  const exact = await compile("exact", [file("given")], { ours: false, exact: true });
  report.check(exact.code === 0, "types fit, with exactOptionalPropertyTypes", exact.out);
  const count = ["given", "got"].map(
    (name) => [...readFileSync(file(name), "utf8").matchAll(/^accepts</gm)].length,
  );
  console.log(`figures: types: ${count[0]} fit as given by an application, ${count[1]} as it gets them`);
}

/** Every block compiles with this package as it does with pi-agent-core itself. */
async function readme() {
  const blocks = blocksOf(readFileSync(join(theirs, "README.md"), "utf8"));
  // Declaration merging is global to a program: its section is compiled by itself.
  const merging = new Set(blocks.filter(({ text }) => text.includes("declare module")).map((b) => b.section));
  const clean = { theirs: 0, ours: 0 };
  for (const alone of [false, true]) {
    const chosen = blocks.filter(({ section }) => merging.has(section) === alone);
    const found = {};
    for (const side of ["theirs", "ours"]) {
      const folder = `readme-${side}${alone ? "-merging" : ""}`;
      mkdirSync(workOf("pi", folder), { recursive: true });
      for (const { file, text } of chosen) writeFileSync(join(workOf("pi", folder), file), moduleOf(text));
      const files = [join(root, "tests/pi/prelude.ts"), ...chosen.map(({ file }) => file)];
      const { out } = await compile(folder, files, { ours: side === "ours" });
      found[side] = (file) => out.split("\n").filter((line) => line.startsWith(`${file}(`));
      const elsewhere = out.split("\n").filter((line) => /^\S/.test(line) && !/^\d+\.ts\(/.test(line));
      report.check(
        elsewhere.length === 0,
        `README, ${side}: what surrounds the blocks`,
        elsewhere.join("\n"),
      );
    }
    for (const { file, line, section } of chosen) {
      const [expected, actual] = [found.theirs(file), found.ours(file)];
      if (expected.length === 0) clean.theirs++;
      else console.log(`README of pi, line ${line}: not valid with pi either: ${expected.join("; ")}`);
      // The place and the number of an error; texts name files.
      const known = new Set(expected.map((text) => text.match(/\(.*?TS\d+/)?.[0]));
      const more = actual.filter((text) => !known.has(text.match(/\(.*?TS\d+/)?.[0]));
      if (report.check(more.length === 0, `README of pi, line ${line} (${section})`, more.join("\n"))) {
        if (actual.length === 0) clean.ours++;
      }
    }
  }
  const { theirs: count, ours } = clean;
  console.log(
    `figures: README of pi-agent-core: ${blocks.length} blocks; ${count} compile with it, ${ours} with ours`,
  );
}

function blocksOf(markdown) {
  const found = [];
  let section = "";
  let open;
  markdown.split("\n").forEach((line, index) => {
    if (open) {
      if (line.startsWith("```")) {
        if (open.kind === "typescript") found.push({ ...open, text: open.lines.join("\n") });
        open = undefined;
      } else open.lines.push(line);
    } else if (line.startsWith("```")) {
      const place = { line: index + 1, section, file: `${index + 1}.ts` };
      open = { ...place, kind: line.slice(3).trim(), lines: [] };
    } else if (line.startsWith("## ")) section = line.slice(3);
  });
  report.check(found.length > 20, "the README holds code");
  return found;
}

/** A block as a module of its own. */
function moduleOf(text) {
  const filled = text
    // A type in the place of a value: `model: Model<any>,`
    .replace(/^(\s+\w+): ((?:string|.*<any>(?:\[\])?|\w+\[\]|".*" \| .*)),$/gm, "$1: some<$2>(),")
    .replaceAll("(...)", "(() => true)");
  // A part of an object: of a tool, or of an agent's options.
  const member = filled.match(/^(\w+): /)?.[1];
  const kind = member === "execute" ? "Partial<AgentTool>" : "Partial<AgentOptions>";
  const code = member ? `export const part: ${kind} = {\n${filled}\n};` : filled;
  const imported = new Set(
    [...code.matchAll(/^import (?:type )?\{(.*?)\}/gms)].flatMap((m) => m[1].match(/\w+/g)),
  );
  const declared = new Set([...code.matchAll(/\b(?:interface|type|class|const) (\w+)/g)].map((m) => m[1]));
  const names = [
    "Agent",
    "AgentContext",
    "AgentLoopConfig",
    "AgentMessage",
    "AgentOptions",
    "AgentTool",
    "ThinkingLevel",
  ];
  const needed = names.filter(
    (name) => new RegExp(`\\b${name}\\b`).test(code) && !imported.has(name) && !declared.has(name),
  );
  const models = /\bModel</.test(code) ? 'import type { Model } from "@earendil-works/pi-ai";\n' : "";
  return `import { ${needed.join(", ")} } from "${NAME}";\n${models}${code}\nexport {};\n`;
}
