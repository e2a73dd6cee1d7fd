// What wasm-bindgen writes for every engine and every use of its glue, brought down to what this package needs. Each
// step says what it takes away and must find it: a new wasm-bindgen may write something else.

/** @type {[what: string, pattern: RegExp, replacement: string | ((part: string) => string)][]} */
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
  [
    "what is handed over beside its length",
    /function passArray8ToWasm0\(arg, malloc\) \{\n[^]*?\n\}\n/,
    `function passArray8ToWasm0(arg) {
    const ptr = malloc(arg.length, 1) >>> 0;
    getUint8ArrayMemory0().set(arg, ptr);
    return [ptr, arg.length];
}
`,
  ],
  [
    "a loop over what is ASCII, before what encodes everything",
    /function passStringToWasm0\(arg, malloc, realloc\) \{\n[^]*?\n\}\n/,
    `function passStringToWasm0(arg) {
    let len = arg.length;
    let ptr = malloc(len, 1) >>> 0;
    let done = 0;
    const encode = () => {
        const { read, written } = cachedTextEncoder.encodeInto(arg, getUint8ArrayMemory0().subarray(ptr + done, ptr + len));
        done += written;
        return read;
    };
    const read = encode();
    if (read < len) {
        arg = arg.slice(read);
        ptr = realloc(ptr, len, len = done + arg.length * 3, 1) >>> 0;
        encode();
        ptr = realloc(ptr, len, done, 1) >>> 0;
    }
    return [ptr, done];
}
`,
  ],
  ["", /^let WASM_VECTOR_LEN.*\n/m, ""],
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
  ["a result declared before it is there", /let ret;\n *ret = /g, "const ret = "],
  ["names for what is only handed over", /export function \w+\([^]*?\n\}\n/g, withoutNames],
  [
    "a way for each kind of view to be up to date",
    /let cached\w+Memory0 = null;\nfunction get\w+\(\) \{\n[^]*?\n\}\n/g,
    "",
  ],
  [
    "",
    /function passArray8ToWasm0/,
    `let bytes;
const getUint8ArrayMemory0 = () =>
    bytes?.buffer === wasm.MEMORY.buffer ? bytes : (bytes = new Uint8Array(wasm.MEMORY.buffer));
function passArray8ToWasm0`,
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

/** A function of the glue, in whose call everything stands as it is given. */
function withoutNames(part) {
  const given = new Map();
  return part
    .replace(/^ *let ptr.*\n|^ *(?:const )?len\d = WASM_VECTOR_LEN;\n/gm, "")
    .replace(/^ *(?:const )?(ptr\d|val\d) = (.*);\n/gm, (_, name, value) => {
      given.set(name, name.startsWith("ptr") ? `...${value}` : value);
      return "";
    })
    .replace(/\b(ptr\d), len\d|\bval\d/g, (name, ptr) => given.get(ptr ?? name));
}

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
    MEMORY: exported(/new Uint8Array\(wasm\.(\w+)\.buffer\)/),
  };
  for (const [what, pattern, replacement] of steps) {
    const next = glue.replace(pattern, replacement);
    if (next === glue) throw new Error(`the glue of wasm-bindgen has changed: ${what || pattern}`);
    glue = next;
  }
  return glue.replace(/\bwasm\.([A-Z_]+)\b/g, (_, name) => `wasm.${known[name]}`);
}
