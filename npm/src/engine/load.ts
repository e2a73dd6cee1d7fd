/**
 * Loading the module: memoised, retried after a failure, never started by an import.
 *
 * An entry registers how its module is found (`setLoader`); the first call that needs it loads it. The inline entry
 * has the bytes at hand and loads them synchronously, so that the first prompt behaves like every later one.
 */
import * as wasm from "../../pkg/steersman.js";
import { EngineLoadError } from "../errors.js";
import type { WasmSource } from "../types.js";
import { describe } from "./describe.js";
import { currentGeneration, enter, isBroken, onReset } from "./guard.js";

/** How an entry finds its module. */
export type Loader =
  | { readonly kind: "sync"; readonly bytes: () => BufferSource }
  | { readonly kind: "async"; readonly source: () => WasmSource }
  | { readonly kind: "none" };

let loader: Loader = { kind: "none" };
let loaded = false;
let loading: Promise<void> | undefined;

/** What the module calls on its JavaScript side, whatever runs. */
const env = {
  /** Come back into the module once `promise` is settled, unless the instance is gone by then. */
  _watch(promise: Promise<unknown>, key: number): void {
    const born = currentGeneration();
    // The language's own `then`: one that an application put on its promise may answer twice, or never.
    Promise.prototype.then.call(
      promise,
      (value) => wake(born, key, true, value),
      (reason) => wake(born, key, false, reason),
    );
  },
  /**
   * ECMA-262 `pattern` test: 1 match, 0 no match, -1 not a valid pattern. It is kept by `key`, which is the pattern
   * itself where none is given.
   */
  _matches(key: string, pattern: string, text: string): number {
    let expression = patterns.get(key);
    if (expression === undefined || pattern) {
      expression = compilePattern(pattern || key);
      if (patterns.size >= 256) patterns.clear();
      patterns.set(key, expression);
    }
    if (expression === null) return -1;
    return expression.test(text) ? 1 : 0;
  },
  /** Writes a number as the language does; gives how many bytes it takes. */
  _digits(value: number, into: Uint8Array): number {
    return encoder.encodeInto(String(value), into).written;
  },
};

const encoder = new TextEncoder();

const patterns = new Map<string, RegExp | null>();

function compilePattern(pattern: string): RegExp | null {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Without `u` the older, laxer syntax is read; what neither reads is reported by the caller.
    }
  }
  return null;
}

function wake(born: number, key: number, ok: boolean, value: unknown): void {
  if (born !== currentGeneration()) return;
  try {
    enter(() => wasm.settle(key, ok, value));
  } catch {
    // A trap: everything in flight has been ended by the guard.
  }
}

onReset(() => {
  wasm.__wbg_reset_state();
  wasm.install(env);
});

/** Register how the module is found. The last call before the module is loaded wins. */
export function setLoader(next: Loader): void {
  loader = next;
}

/** Whether the module is loaded. */
export function isLoaded(): boolean {
  return loaded;
}

/** `undefined` when the module is loaded (or was loaded just now), else a promise of it. */
export function ready(): undefined | Promise<void> {
  // Called by user code on top of a trap: the new instance is there as soon as the stack is empty.
  if (loaded) return isBroken() ? Promise.resolve() : undefined;
  if (loading) return loading;
  if (loader.kind !== "sync") return init();
  try {
    loadSync(loader.bytes);
    return undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}

/** For what is done at once or not at all. */
export function requireEngine(): void {
  const waiting = ready();
  if (waiting === undefined) return;
  waiting.catch(() => {});
  throw new EngineLoadError(
    "wasm_load_failed",
    "The WebAssembly module is not loaded yet: await init() first.",
  );
}

/**
 * Load the module now, from the entry's own place or from `source`. Optional: everything that needs the module loads
 * it. Calls share one promise; after a failure the next call tries again.
 */
export function init(source?: WasmSource): Promise<void> {
  if (loaded) return Promise.resolve();
  loading ??= load(source).finally(() => {
    loading = undefined;
  });
  return loading;
}

async function load(given: WasmSource | undefined): Promise<void> {
  if (given === undefined && loader.kind === "sync") return loadSync(loader.bytes);
  const source = given ?? ownSource();
  if (source === undefined) {
    throw new EngineLoadError(
      "wasm_load_failed",
      "No WebAssembly module was given. This entry needs it from the caller: await init(source) with bytes, a WebAssembly.Module, a URL or a Response.",
    );
  }
  const found = await resolveModule(await source);
  // A synchronous load may have come first while this one was waiting.
  if (!loaded) loadSync(() => found);
}

/** Where the entry looks; a bundle that is no module has no address to look beside. */
function ownSource(): WasmSource | undefined {
  if (loader.kind !== "async") return undefined;
  try {
    return loader.source();
  } catch (error) {
    throw new EngineLoadError("wasm_load_failed", `${describe(error)}. ${NAME_IT}`, { cause: error });
  }
}

const NAME_IT = "Give init() the address of the package's steersman.wasm, or its bytes.";

function loadSync(source: () => BufferSource | WebAssembly.Module): void {
  if (loaded) return;
  try {
    wasm.initSync({ module: compiled(source()) });
    wasm.install(env);
    loaded = true;
  } catch (error) {
    throw loadError(error);
  }
}

type Resolved = BufferSource | WebAssembly.Module;

/** What a source stands for. @throws EngineLoadError */
export async function resolveModule(source: Exclude<WasmSource, PromiseLike<unknown>>): Promise<Resolved> {
  const wrapped = (source as { module_or_path?: Exclude<WasmSource, PromiseLike<unknown>> }).module_or_path;
  if (wrapped !== undefined) return resolveModule(wrapped);
  if (isModule(source) || isBytes(source)) return source;
  const response = isResponse(source) ? source : await fetchModule(source as string | URL);
  const url = response.url || "the given Response";
  if (!response.ok) {
    throw new EngineLoadError(
      "wasm_load_failed",
      `Could not load the WebAssembly module: ${url} answered ${response.status}. ${NAME_IT}`,
    );
  }
  const type = response.headers.get("content-type") ?? "no content type";
  if (/^application\/wasm\b/i.test(type) && typeof WebAssembly.compileStreaming === "function") {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw loadError(error);
    }
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d) {
    const start = new TextDecoder().decode(bytes.subarray(0, 40)).replace(/\s+/g, " ");
    throw new EngineLoadError(
      "wasm_load_failed",
      `${url} is not a WebAssembly module (${type}, ${bytes.length} bytes, begins with ${JSON.stringify(start)}). A server that answers missing files with its start page is the usual cause.`,
    );
  }
  return bytes;
}

async function fetchModule(url: string | URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    throw new EngineLoadError(
      "wasm_load_failed",
      `Could not load the WebAssembly module from ${String(url)}: ${describe(error)}. ${NAME_IT}`,
      { cause: error },
    );
  }
}

/** A module out of its bytes, unless it is one. */
export function compiled(found: Resolved): WebAssembly.Module {
  return isModule(found) ? found : new WebAssembly.Module(found);
}

/** Whether a value is a compiled module, also one of another realm. */
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}

function isBytes(value: unknown): value is BufferSource {
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === "[object Response]";
}

/** Why a module could not be loaded, as the error that users see. */
export function loadError(error: unknown): EngineLoadError {
  if (error instanceof EngineLoadError) return error;
  const text = describe(error);
  // In a content script of an extension Chromium says nothing at all.
  if (/content security policy|unsafe-eval|blocked by CSP|Module\(\): $/i.test(text)) {
    return new EngineLoadError(
      "wasm_blocked_by_csp",
      `The page's Content-Security-Policy does not allow WebAssembly. Add 'wasm-unsafe-eval' to script-src. (${text})`,
      { cause: error },
    );
  }
  // Edge workers; V8 says so.
  const advice = /by embedder/.test(text)
    ? ". Give init() what `import` makes of steersman/steersman.wasm, initSessions() that of steersman/session.wasm"
    : "";
  return new EngineLoadError(
    "wasm_load_failed",
    `The WebAssembly module could not be loaded: ${text}${advice}`,
    { cause: error },
  );
}
