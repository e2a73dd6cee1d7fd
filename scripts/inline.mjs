// The module as text of JavaScript. Base64 costs a third before compression and a quarter after it, because it tears
// bytes apart; here every byte is one character, the frequent ones one byte of UTF-8, so that a compressor sees the
// module almost as it is. `npm/src/engine/inline.ts` reads it back.

/** Characters by rank of the byte they stand for. Left out: what string literals or HTML would have to escape. */
const ALPHABET = (() => {
  const codes = [];
  for (let code = 0x20; code < 0x7f; code++)
    if (!'"\\<`$'.includes(String.fromCharCode(code))) codes.push(code);
  for (let code = 0xa1; codes.length < 256; code++) if (code !== 0xad) codes.push(code);
  return codes;
})();

/**
 * Writes bytes as text.
 *
 * @param {Uint8Array} bytes
 * @returns {{ text: string, bytes: string }} `bytes`: two hexadecimal digits per character of the alphabet, in the
 *   order of its code points
 */
export function encode(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const ranked = counts.map((count, byte) => ({ count, byte })).sort((a, b) => b.count - a.count);
  const characters = new Array(256);
  ranked.forEach(({ byte }, rank) => {
    characters[byte] = String.fromCharCode(ALPHABET[rank]);
  });
  const text = Array.from(bytes, (byte) => characters[byte]).join("");
  return { text, bytes: ranked.map(({ byte }) => byte.toString(16).padStart(2, "0")).join("") };
}

/** The source of the module that holds a wasm module. */
export function inlineSource(bytes) {
  const { text, bytes: alphabet } = encode(bytes);
  return `export const wasmText = "${text}";\nexport const wasmBytes = "${alphabet}";\n`;
}

export const inlineTypes = `/** The wasm module, one character per byte. */
export declare const wasmText: string;
/** The byte of each character in hexadecimal, characters in the order of their code points. */
export declare const wasmBytes: string;
`;
