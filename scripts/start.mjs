// `npm start`: set up what is missing, build the package, serve the demo. The model in the page is optional: where its
// weights cannot be had, the page offers to load them from the public model hub.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { bin, root } from "./common.mjs";
import { buildNeeds, ensure, modelPath } from "./setup.mjs";

const port = process.env.PORT ?? "5173";
const host = process.env.HOST ?? "127.0.0.1";

const unmet = await ensure([...buildNeeds, "model"]);
if (unmet.some((need) => buildNeeds.includes(need))) {
  console.error("The demo cannot be built without the above.");
  process.exit(1);
}
if (!existsSync(join(root, "www/index.html"))) {
  console.error("www/index.html is missing");
  process.exit(1);
}
try {
  await build();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (!modelPath()) console.log("The weights of the in-page model are not here; the page offers to load them.");

console.log(`\nSteersman demo: http://${host}:${port}/   (Ctrl+C ends it)\n`);
const vite = spawn(bin("vite"), [join(root, "www"), "--host", host, "--port", port, "--strictPort"], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => vite.kill(signal));
vite.on("exit", (code) => process.exit(code ?? 0));
