// The module as text of JavaScript. Base64 costs a third before compression and a quarter after it, because it tears
// bytes apart; here the module is taken apart into streams of alike numbers, and a number is a character.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byteText, FIRST, GAP, NUMBERS } from "./characters.mjs";
import { bin, must, root } from "./common.mjs";
import { MOST_ADDRESSES, MOST_FUNCTIONS, MOST_LOCALS, STREAMS, split } from "./streams.mjs";

/** Memory comes in pieces of this size. */
const PAGE = 65_536;
/**
 * In memory: where each stream is, the table of tokens, lists of locals, functions and addresses, offsets, numbers, the
 * text. A local may stand in its list twice.
 */
const TOKENS = 128;
const RECENT = TOKENS + 256 * 16;
const CALLED = RECENT + MOST_LOCALS * 8;
const KNOWN = CALLED + MOST_FUNCTIONS * 4;
const LOADS = KNOWN + MOST_ADDRESSES * 4;
const COUNTED = LOADS + MOST_LOCALS * 4;
const TEXT = COUNTED + MOST_FUNCTIONS * 4;
/** The decoder may write so much more than the module. */
const SLACK = 64;

/**
 * The sources of JavaScript modules that hold wasm modules, and of one with the decoder for all of them.
 *
 * @param {Record<string, Uint8Array>} modules by the name of the source
 * @param {number} data where data begins in memory
 * @param {string} work a folder for files in between
 * @returns {Promise<Record<string, string>>}
 */
export async function inlineSources(modules, data, work) {
  const packed = Object.entries(modules).map(([name, wasm]) => ({ name, wasm, ...pack(wasm, data) }));
  const most = Math.max(...packed.map(({ wasm, places }) => places[STREAMS.length] + wasm.length));
  const decoder = await decoderFor(work, {
    ...Object.fromEntries(STREAMS.map((name, i) => [name.toUpperCase(), 4 * i])),
    ...{ OUT: 4 * STREAMS.length, FUNCTIONS: 4 * STREAMS.length + 4, IMPORTED: 4 * STREAMS.length + 8 },
    ...{ TOKENS_AT: TOKENS, RECENT, RECENT_SIZE: MOST_LOCALS * 8, LAST_RECENT: MOST_LOCALS * 2 - 1 },
    ...{ CALLED, KNOWN, LOADS, LOADS_SIZE: MOST_LOCALS * 4, COUNTED, MOST_FUNCTIONS },
    ...{ DATA: data, BEHIND: data + NUMBERS, NUMBERS },
    ...{ PAGES: Math.ceil((most + SLACK) / PAGE) },
    ...{ FIRST, GAP: GAP[1] - GAP[0] },
  });
  for (const { name, wasm, places, text } of packed) {
    if (!Buffer.from(unpacked(decoder, text, places, wasm.length)).equals(Buffer.from(wasm))) {
      throw new Error(`what the streams of ${name} give back is not the module`);
    }
  }
  const sources = packed.map(({ name, wasm, places, text }) => [
    name,
    `export const packed = { text: "${text}", places: ${JSON.stringify(places)}, length: ${wasm.length} };
`,
  ]);
  const decoderText = Array.from(decoder, byteText).join("");
  return { ...Object.fromEntries(sources), decoder: `export const decoder = "${decoderText}";\n` };
}

/** The text of a module, and what lies where in memory: its streams, the module; how many functions it has and imports. */
function pack(wasm, data) {
  const { texts, functions, imported } = split(wasm, data);
  const places = [TEXT];
  for (const text of texts) places.push(places.at(-1) + Buffer.byteLength(text));
  return { text: texts.join(""), places: [...places, functions, imported] };
}

/** What `npm/src/engine/unpack.ts` does. */
function unpacked(decoder, text, places, length) {
  const { memory, join } = new WebAssembly.Instance(new WebAssembly.Module(decoder)).exports;
  new Int32Array(memory.buffer).set(places);
  new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, places[0]));
  join();
  return new Uint8Array(memory.buffer, places[STREAMS.length], length);
}

/** Assembles `join.wat`. */
async function decoderFor(work, names) {
  const template = readFileSync(join(root, "scripts/join.wat"), "utf8").replace(/;;.*/g, "");
  const source = template.replace(/\b[A-Z][A-Z0-9_]+\b/g, (name) => names[name] ?? name);
  const [wat, wasm] = [join(work, "join.wat"), join(work, "join.wasm")];
  writeFileSync(wat, source);
  await must(bin("wasm-as"), [wat, "-o", wasm, "--enable-bulk-memory-opt"]);
  await must(bin("wasm-opt"), [
    "-Oz",
    "--enable-bulk-memory-opt",
    "--strip-target-features",
    wasm,
    "-o",
    wasm,
  ]);
  const bytes = readFileSync(wasm);
  for (const file of [wat, wasm]) rmSync(file);
  return bytes;
}

export const inlineTypes = `export declare const packed: {
  readonly text: string;
  /** Where each of its streams and the module lie in memory; how many functions it has and imports. */
  readonly places: readonly number[];
  readonly length: number;
};
`;
export const decoderTypes = `/** A small module that puts a module together from its text. */
export declare const decoder: string;
`;
