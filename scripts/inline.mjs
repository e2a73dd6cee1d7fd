// The module as text of JavaScript. Base64 costs a third before compression and a quarter after it, because it tears
// bytes apart; here the module is taken apart into streams of alike numbers, and a number is a character.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byteText, FIRST, GAP } from "./characters.mjs";
import { bin, must, root } from "./common.mjs";
import { SMALL, STREAMS, split } from "./streams.mjs";

/** Memory comes in pieces of this size. */
const PAGE = 65_536;
/** In memory: where each stream is, then the table of tokens, then the text. */
const TOKENS = 64;
const TEXT = TOKENS + 256 * 16;
/** The decoder may write so much more than the module. */
const SLACK = 64;

/**
 * The source of the JavaScript module that holds a wasm module.
 *
 * @param {Uint8Array} wasm
 * @param {number} data where its data begins in memory
 * @param {string} work a folder for files in between
 */
export async function inlineSource(wasm, data, work) {
  const { texts, functions } = split(wasm, data);
  const places = [TEXT];
  for (const text of texts) places.push(places.at(-1) + Buffer.byteLength(text));
  const out = places.at(-1);
  const decoder = await decoderFor(work, {
    ...Object.fromEntries(STREAMS.map((name, i) => [name.toUpperCase(), 4 * i])),
    ...{
      PAGES: Math.ceil((out + wasm.length + SLACK) / PAGE),
      TOKENS_AT: TOKENS,
      OUT: out,
      FUNCTIONS: functions,
    },
    ...{ FIRST, GAP: GAP[1] - GAP[0], SMALL, ADDRESSES: data - SMALL },
  });
  if (!Buffer.from(joined(decoder, texts.join(""), places, wasm.length)).equals(Buffer.from(wasm))) {
    throw new Error("what the streams give back is not the module");
  }
  return `export const decoder = "${Array.from(decoder, byteText).join("")}";
export const text = "${texts.join("")}";
export const places = ${JSON.stringify(places)};
export const length = ${wasm.length};
`;
}

/** What `npm/src/engine/inline.ts` does. */
function joined(decoder, text, places, length) {
  const { memory, join } = new WebAssembly.Instance(new WebAssembly.Module(decoder)).exports;
  new Int32Array(memory.buffer).set(places);
  new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, places[0]));
  join();
  return new Uint8Array(memory.buffer, places.at(-1), length);
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

export const inlineTypes = `/** A small module that puts the module together from \`text\`. */
export declare const decoder: string;
export declare const text: string;
/** Where the text, each of its streams and the module lie in memory. */
export declare const places: number[];
export declare const length: number;
`;
