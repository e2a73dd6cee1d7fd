// What is compared: installs the packages of others on demand and bundles each adapter for the browser.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { fromSources } from "../../scripts/build.mjs";
import { root, targetDir } from "../../scripts/common.mjs";
import { fetchPackages } from "../../scripts/packages.mjs";

/** Packages that an adapter needs. */
const packages = { pi: "pi" };

/** The adapters; all are measured unless told otherwise. */
export const peers = ["raw", "raw-tight", "ours", "ours-iter", "ours-cold", "pi"];

/** Below the folder of build output; deleting it is harmless. */
const cache = join(targetDir, "bench");

/**
 * Bundles the adapters; gives the folder to serve, where each is `/PEER/PEER.js`.
 *
 * @param readable for profiles: names are kept, and this package comes from its sources
 */
export async function bundle(names, { readable = false } = {}) {
  const out = join(cache, readable ? "readable" : "bundles");
  for (const name of names) {
    const modules = packages[name] && (await fetchPackages(packages[name]));
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
      ...(readable && { alias: { steersman: join(root, "npm/src/entry/index.ts") }, ...fromSources() }),
      // Modules of other runtimes that a browser never reaches.
      external: ["node:*"],
      define: { "process.env.NODE_ENV": '"production"' },
    });
  }
  return out;
}
