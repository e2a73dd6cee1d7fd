// Writes THIRD-PARTY-NOTICES.txt: the licence of everything whose code is inside the published package.
// The build calls it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { must, root } from "./common.mjs";

const licenceFile = /^(licen[cs]e|copying|notice|unlicense)/i;

/** The licence texts in a folder; of several (MIT and Apache-2.0) the MIT text, because it is the one we take. */
function licenceTexts(dir) {
  const names = existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => licenceFile.test(name))
        .sort()
    : [];
  const mit = names.filter((name) => /mit/i.test(name));
  return (mit.length > 0 ? mit : names).map((name) => readFileSync(join(dir, name), "utf8").trim());
}

/** Crates that are compiled into the module: normal dependencies for wasm, without procedural macros. */
async function crates() {
  const options = [
    "--format-version",
    "1",
    "--filter-platform",
    "wasm32-unknown-unknown",
    "--features",
    "js",
  ];
  const metadata = JSON.parse(await must("cargo", ["metadata", "-q", ...options]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const packages = new Map(metadata.packages.map((item) => [item.id, item]));
  const seen = new Set();
  const open = [metadata.resolve.root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      const macro = packages.get(pkg).targets.some((target) => target.kind.includes("proc-macro"));
      if (!macro && dep_kinds.some(({ kind }) => kind === null)) open.push(pkg);
    }
  }
  return [...seen]
    .map((id) => packages.get(id))
    .filter((item) => item.source !== null)
    .map((item) => ({
      name: `${item.name} ${item.version} (crate)`,
      licence: item.license ?? "see below",
      texts: [...licenceTexts(dirname(item.manifest_path)), ...keptText(item.name)],
    }));
}

/** npm packages whose code is in the bundles. */
function npmPackages(names) {
  return [...names].map((name) => {
    const dir = join(root, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    return { name: `${name} ${version} (npm package)`, licence: license, texts: licenceTexts(dir) };
  });
}

/** A licence text that is kept here, because what it belongs to comes without it. */
function keptText(name) {
  const file = join(root, `scripts/licences/${name}.txt`);
  return existsSync(file) ? [readFileSync(file, "utf8").trim()] : [];
}

/** The standard library is in every module; not every toolchain comes with its licence texts. */
const standardLibrary = {
  name: "The Rust standard library",
  licence: "MIT OR Apache-2.0; Unicode-3.0",
  texts: keptText("rust-std"),
};

/** Where the facts of the model catalogue come from (scripts/catalog.mjs). */
const catalogue = {
  name: "pi-ai 1.6.0 (data of the model catalogue)",
  licence: "MIT",
  texts: [readFileSync(join(root, "scripts/licences/pi-ai.txt"), "utf8").trim()],
};

/**
 * Writes the file; `bundled` names the npm packages that are inside. An item without a licence text in its package is
 * an error, not a gap.
 */
export async function writeNotices(file, bundled) {
  const items = [standardLibrary, catalogue, ...(await crates()), ...npmPackages(bundled)];
  const parts = items.map(({ name, licence, texts }) => {
    if (texts.length === 0) throw new Error(`${name}: no licence text found`);
    return [name, `Licence: ${licence}`, "", ...texts].join("\n");
  });
  const head = "This package contains code of the following projects.";
  writeFileSync(file, `${[head, ...parts].join(`\n\n${"-".repeat(76)}\n\n`)}\n`);
}
