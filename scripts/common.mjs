// What the scripts share: places, child processes, hashes and the counting of passed and failed checks.
// Only Node built-ins, because the scripts start before `npm ci` has run.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

/** The repository root. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Tools and model weights that outlive a clone: one folder per version, so that clones do not disturb each other. */
export const cacheDir =
  process.env.STEERSMAN_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "steersman");

/** Where cargo puts its output, and where the build keeps its stamps. */
export const targetDir = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");

/** The folder with recordings, wire fixtures and test suites, or undefined where it is not laid out. */
export function sharedDir() {
  const dir = resolve(root, process.env.STEERSMAN_SHARED ?? "../shared");
  return existsSync(join(dir, "conformance/runner.mjs")) ? dir : undefined;
}

/** A program of a development package. */
export const bin = (name) => join(root, "node_modules/.bin", name);

/** The TypeScript compiler. By path: two versions are installed, and both call their program `tsc`. */
export const tsc = join(root, "node_modules/typescript/bin/tsc");

/** How many bytes are left of some by Brotli at its best, as servers of files compress. */
export function brotliSize(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

/** The path of a program on PATH, or undefined. */
export function which(name) {
  const dirs = (process.env.PATH ?? "").split(delimiter);
  return dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
}

/** The version of a crate in Cargo.lock. */
export function lockedVersion(crate) {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const found = lock.match(new RegExp(`name = "${crate}"\\nversion = "([^"]+)"`));
  if (!found) throw new Error(`Cargo.lock names no crate ${crate}`);
  return found[1];
}

/** The version of wasm-pack that the set-up installs; any other one on PATH will do. */
export const wasmPackVersion = "0.15.1";

/** Where the set-up puts a tool it compiles: a folder per version, so that clones do not disturb each other. */
export const toolRoot = (crate, version) => join(cacheDir, "tools", `${crate}-${version}`);

/** Puts the tools that the set-up installed first on PATH, for this process and its children. */
export function useTools() {
  const dirs = [
    toolRoot("wasm-bindgen-cli", lockedVersion("wasm-bindgen")),
    toolRoot("wasm-pack", wasmPackVersion),
  ].map((dir) => join(dir, "bin"));
  const path = (process.env.PATH ?? "").split(delimiter);
  const fresh = dirs.filter((dir) => existsSync(dir) && !path.includes(dir));
  process.env.PATH = [...fresh, ...path].join(delimiter);
}

const children = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const child of children) kill(child);
    process.exit(130);
  });
}

/** Ends a child and everything it started: every child leads its own process group. */
function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

/**
 * Runs a program. `show` passes its output on as it comes; it is collected in `out` either way (stdout and
 * stderr in order of arrival). After `seconds` the program and its children are ended and `code` is 124.
 */
export function run(command, args = [], { cwd = root, env = {}, show = false, seconds = 1800 } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    const parts = [];
    const take = (to) => (chunk) => {
      parts.push(chunk);
      if (show) to.write(chunk);
    };
    child.stdout.on("data", take(process.stdout));
    child.stderr.on("data", take(process.stderr));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      kill(child);
    }, seconds * 1000);
    const finish = (code, note = "") => {
      clearTimeout(timer);
      if (!children.delete(child)) return;
      const out = Buffer.concat(parts).toString("utf8");
      done(late ? { code: 124, out: `${out}\nended after ${seconds} s` } : { code, out: out + note });
    };
    child.on("error", (error) => finish(127, `${command}: ${error.message}`));
    child.on("close", (code, signal) => finish(code ?? 1, signal && !late ? `\nended by ${signal}` : ""));
  });
}

/** Runs a program that must succeed; the error carries its output. */
export async function must(command, args, options) {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    throw new Error(`${[command, ...args].join(" ")}: exit ${result.code}\n${result.out.trim()}`);
  }
  return result.out;
}

/** Every file below `dir` (absolute paths, sorted), without build output and installed packages. */
export function walk(dir, keep = () => true) {
  if (!existsSync(dir)) return [];
  const found = [];
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (["node_modules", "target", ".git"].includes(entry.name)) continue;
    const path = join(dir, entry.name);
    if (entry.isDirectory()) found.push(...walk(path, keep));
    else if (entry.isFile() && keep(path)) found.push(path);
  }
  return found.sort();
}

/** One hash over the names and contents of files and over further texts. */
export function hashOf(files, ...texts) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest("hex");
}

/** Seconds since `start` (performance.now()), as text. */
export const since = (start) => `${((performance.now() - start) / 1000).toFixed(1)} s`;

/** Is this file the program that was started (and not imported)? */
export const isMain = (url) =>
  process.argv[1] !== undefined && fileURLToPath(url) === resolve(process.argv[1]);

/** Counts checks; a failed one is printed at once. `finish` prints the closing line and sets the exit code. */
export class Report {
  passed = 0;
  failed = 0;

  check(ok, name, detail = "") {
    if (ok) this.passed++;
    else {
      this.failed++;
      console.log(`FAILED ${name}${detail ? `\n${indent(detail)}` : ""}`);
    }
    return ok;
  }

  /** Runs `action`; what it throws is the failure. */
  async attempt(name, action) {
    try {
      await action();
      return this.check(true, name);
    } catch (error) {
      return this.check(false, name, String(error?.stack ?? error));
    }
  }

  /** Runs a program as one check. */
  async command(name, command, args, options) {
    const { code, out } = await run(command, args, options);
    return this.check(code === 0, `${name} (exit ${code})`, out.trim());
  }

  /** Adds what another runner counted. */
  add(passed, failed) {
    this.passed += passed;
    this.failed += failed;
  }

  /** Adds what another runner counted in its closing lines, which it gives, and shows what it wrote when it failed. */
  addRun(name, { code, out }) {
    const { passed, failed } = countsOf(out) ?? { passed: 0, failed: 0 };
    this.add(passed, failed);
    if (code !== 0) console.log(`--- ${name}\n${out.trim()}`);
    this.check(code === 0 || failed > 0, name, `exit ${code}`);
    return { passed, failed };
  }

  finish() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 || this.passed === 0 ? 1 : 0;
  }
}

const indent = (text) => text.replace(/^/gm, "  ");

/** The counts of the last `N passed, N failed` line of an output, or undefined. */
export function countsOf(out) {
  const line = [...out.matchAll(/^(\d+) passed, (\d+) failed.*$/gm)].at(-1);
  return line ? { passed: Number(line[1]), failed: Number(line[2]) } : undefined;
}
