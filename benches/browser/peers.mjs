// What is compared: installs the packages of others on demand and bundles each adapter for the browser.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { must, root, targetDir } from "../../scripts/common.mjs";

/** Packages of others, exact versions, by adapter. They are not dependencies of this repository. */
const packages = {
  pi: { "@earendil-works/pi-agent-core": "1.6.0", "@earendil-works/pi-ai": "1.6.0" },
};

/** The adapters; all are measured unless told otherwise. */
export const peers = ["raw", "raw-tight", "ours", "ours-iter", "ours-cold", "pi"];

/** Below the folder of build output; deleting it is harmless. */
const cache = join(targetDir, "bench");

async function install(peer) {
  const wanted = packages[peer];
  if (!wanted) return undefined;
  const folder = join(cache, "packages", peer);
  const manifest = (name) => join(folder, "node_modules", name, "package.json");
  const installed = ([name, version]) =>
    existsSync(manifest(name)) && JSON.parse(readFileSync(manifest(name), "utf8")).version === version;
  if (!Object.entries(wanted).every(installed)) {
    console.log(
      `installing ${Object.entries(wanted)
        .map((entry) => entry.join("@"))
        .join(", ")} ...`,
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: wanted }));
    await must("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  }
  return join(folder, "node_modules");
}

/**
 * Bundles the adapters; gives the folder to serve, where each is `/PEER/PEER.js`.
 *
 * @param readable for profiles: names are kept, and this package comes from its sources
 */
export async function bundle(names, { readable = false } = {}) {
  const out = join(cache, readable ? "readable" : "bundles");
  for (const name of names) {
    const modules = await install(name);
    rmSync(join(out, name), { recursive: true, force: true });
    await build({
      entryPoints: [join(root, "benches/browser/adapters", `${name}.mjs`)],
      outdir: join(out, name),
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      minify: !readable,
      legalComments: "none",
      logLevel: "warning",
      nodePaths: modules ? [modules] : [],
      // The list of modules with side effects names files of the built package only.
      ignoreAnnotations: readable,
      alias: readable ? { steersman: join(root, "npm/src/entry/index.ts") } : {},
      // Modules of other runtimes that a browser never reaches.
      external: ["node:*"],
      define: { "process.env.NODE_ENV": '"production"' },
    });
  }
  return out;
}
