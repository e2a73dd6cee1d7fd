// What wasm-bindgen writes for every engine and every use of its glue, brought down to what this package needs. Each
// step says what it takes away and must find it: a new wasm-bindgen may write something else.

/** @type {[what: string, pattern: RegExp, replacement: string][]} */
const steps = [
  ["names of its own for the methods that the module calls", /\barg0\.(\w+)(?=\()/g, "arg0._$1"],
  ["restarts that nobody schedules", /^ *__wbg_call_guard\(\);\n/gm, ""],
  ["the function that looks for them", /function __wbg_call_guard\(\) \{\n[^]*?\n\}\n/, ""],
  ["their marks", /^.*\b__wbg_(instance_id|reinit_scheduled)\b.*\n/gm, ""],
  [
    "freeing the first of two texts when there is no memory for the second: that is a trap, which frees everything",
    /^ *try \{\n((?: *(?:ptr|len)\d+ = .*\n)+) *\} catch \(e\) \{\n(?: *if \(ptr.*\n)+ *throw e;\n *\}\n/gm,
    "$1",
  ],
  [
    "a closure per call of an import that may throw",
    /function\(\) \{ return handleError\(function \((.*)\) \{\n([^]*?)\n {8}\}, arguments\); \}/g,
    "caught(($1) => {\n$2\n        })",
  ],
  [
    "",
    /function handleError\(f, args\) \{\n[^]*?\n\}\n/,
    `const caught = (f) => (...args) => {
    try {
        return f(...args);
    } catch (e) {
        wasm.EXN_STORE(addToExternrefTable0(e));
    }
};
`,
  ],
  ["functions where arrows do", /(\w+): function\((.*)\) \{$/gm, "$1: ($2) => {"],
  [
    "allocators handed over to where they are known",
    /(pass\w+ToWasm0\(\w+), wasm\.\w+(?:, wasm\.\w+)?\)/g,
    "$1)",
  ],
  ["", /function passArray8ToWasm0\(arg, malloc\) \{/, "function passArray8ToWasm0(arg) {"],
  [
    "a loop over what is ASCII, before what encodes everything",
    /function passStringToWasm0\(arg, malloc, realloc\) \{\n[^]*?\n\}\n/,
    `function passStringToWasm0(arg) {
    let len = arg.length;
    let ptr = malloc(len, 1) >>> 0;
    const encode = () => cachedTextEncoder.encodeInto(arg, getUint8ArrayMemory0().subarray(ptr + WASM_VECTOR_LEN, ptr + len));
    WASM_VECTOR_LEN = 0;
    const { read, written } = encode();
    WASM_VECTOR_LEN = written;
    if (read < len) {
        arg = arg.slice(read);
        ptr = realloc(ptr, len, len = written + arg.length * 3, 1) >>> 0;
        WASM_VECTOR_LEN += encode().written;
        ptr = realloc(ptr, len, WASM_VECTOR_LEN, 1) >>> 0;
    }
    return ptr;
}
`,
  ],
  ["", /\bmalloc\(/g, "wasm.MALLOC("],
  ["", /\brealloc\(/g, "wasm.REALLOC("],
  ["engines without encodeInto", /if \(!\('encodeInto' in cachedTextEncoder\)\) \{\n[^]*?\n\}\n/, ""],
  [
    "a decoder made twice, and warmed up",
    /let cachedTextDecoder = .*\ncachedTextDecoder\.decode\(\);\n([^]*?)let numBytesDecoded = 0;\n([^]*?) *cachedTextDecoder\.decode\(\);\n/,
    "let cachedTextDecoder;\n$1let numBytesDecoded = MAX_SAFARI_DECODE_BYTES;\n$2",
  ],
  ["counting in bytes where bytes are counted", / [/*] 1(?=[;, )])/g, ""],
  ["numbers made numbers, as the call does", /= \+(\w+);/g, "= $1;"],
  [
    "a way for each kind of view to be up to date",
    /let cached\w+Memory0 = null;\nfunction get\w+\(\) \{\n[^]*?\n\}\n/g,
    "",
  ],
  [
    "",
    /function isLikeNone/,
    `let view, bytes;
const fresh = (kept, View) => (kept?.buffer === wasm.MEMORY.buffer ? kept : new View(wasm.MEMORY.buffer));
const getDataViewMemory0 = () => (view = fresh(view, DataView));
const getUint8ArrayMemory0 = () => (bytes = fresh(bytes, Uint8Array));
function isLikeNone`,
  ],
  [
    "",
    /return getUint32ArrayMemory0\(\)\.subarray\(ptr \/ 4, ptr \/ 4 \+ len\)/,
    "return new Uint32Array(wasm.MEMORY.buffer, ptr, len)",
  ],
  [
    "a second way to make an instance, an older form of the argument, and compiling: the loader does it",
    /export function __wbg_reset_state \(\) \{\n[^]*?\n\}\n/,
    `export function __wbg_reset_state() {
    wasm = new WebAssembly.Instance(wasmModule, __wbg_get_imports()).exports;
    wasm.START();
}
`,
  ],
  [
    "",
    /function initSync\(module\) \{\n[^]*?\n\}\n/,
    `function initSync({ module }) {
    wasmModule = module;
    __wbg_reset_state();
}
`,
  ],
];

/**
 * @param {string} glue the JavaScript that wasm-bindgen made
 * @returns {string}
 */
export function leanGlue(glue) {
  /** The short names of the exports that glue calls for itself (glue.mjs). */
  const exported = (pattern) => glue.match(pattern)?.[1];
  const [, malloc, realloc] = glue.match(/passStringToWasm0\(\w+, wasm\.(\w+), wasm\.(\w+)\)/) ?? [];
  const known = {
    MALLOC: malloc,
    REALLOC: realloc,
    EXN_STORE: exported(/addToExternrefTable0\(e\);\n *wasm\.(\w+)\(idx\)/),
    START: exported(/wasm = wasmInstance\.exports;\n *wasm\.(\w+)\(\)/),
    MEMORY: exported(/new DataView\(wasm\.(\w+)\.buffer\)/),
  };
  for (const [what, pattern, replacement] of steps) {
    const next = glue.replace(pattern, replacement);
    if (next === glue) throw new Error(`the glue of wasm-bindgen has changed: ${what || pattern}`);
    glue = next;
  }
  return glue.replace(/\bwasm\.([A-Z_]+)\b/g, (_, name) => `wasm.${known[name]}`);
}
