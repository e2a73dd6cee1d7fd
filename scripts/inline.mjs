// The module as text of JavaScript. Base64 costs a third before compression and a quarter after it, because it tears
// bytes apart; here every byte is one character, the frequent ones one byte of UTF-8, so that a compressor sees the
// module almost as it is. Which character stands for which byte is free, and Brotli foretells a byte of text from the
// kind of the character before it (RFC 7932, 7.1: vowel, digit, bracket...): bytes that are followed by alike bytes
// get characters of one kind, which saves one part in a hundred. `npm/src/engine/inline.ts` reads it back.

/** Left out: what string literals or HTML would have to escape, control characters, the soft hyphen. */
const LEFT_OUT = /["\\<`$\u007f-\u00a0\u00ad]/;

/** Characters in the order of their code points: those of one byte, then those of two. */
const ALPHABET = [];
for (let code = 0x20; ALPHABET.length < 256; code++) {
  const character = String.fromCharCode(code);
  if (!LEFT_OUT.test(character)) ALPHABET.push(character);
}
const SINGLE = ALPHABET.filter((character) => character < "\u007f");

/** The kinds of characters that Brotli tells apart, except the last one: the rest of the punctuation. */
const KINDS = [
  / /,
  /'/,
  /%/,
  /[([{]/,
  /[)\]}>]/,
  /[,:;]/,
  /\./,
  /=/,
  /\d/,
  /[AEIOU]/,
  /[A-Z]/,
  /[aeiou]/,
  /[a-z]/,
];
const KIND_OF = SINGLE.map((character) => {
  const kind = KINDS.findIndex((characters) => characters.test(character));
  return kind < 0 ? KINDS.length : kind;
});

const SWAPS = 150_000;
/** Bits that a kind pays for each different byte after it. */
const ENTRY = 1;

/**
 * Writes bytes as text.
 *
 * @param {Uint8Array} bytes
 * @returns {{ text: string, bytes: string }} `bytes`: two hexadecimal digits for each character of one byte, in the
 *   order of the code points; the characters after those stand for the other bytes in their order
 */
export function encode(bytes) {
  const fresh = freshBytes(bytes);
  const counts = new Array(256).fill(0);
  for (const at of fresh) counts[bytes[at]]++;
  const ranked = counts.map((_, byte) => byte).sort((a, b) => counts[b] - counts[a] || a - b);
  const frequent = sortedByKind(bytes, fresh, ranked.slice(0, SINGLE.length));
  const rest = ranked.slice(SINGLE.length).sort((a, b) => a - b);
  const characters = new Array(256);
  for (const [at, byte] of [...frequent, ...rest].entries()) characters[byte] = ALPHABET[at];
  const text = Array.from(bytes, (byte) => characters[byte]).join("");
  return { text, bytes: frequent.map((byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** Positions that a compressor writes out, because what stands there does not repeat something before. */
function freshBytes(bytes) {
  const seen = new Map();
  const fresh = [];
  let covered = 0;
  for (let at = 0; at < bytes.length; at++) {
    const key = String.fromCharCode(...bytes.subarray(at, at + 5));
    const before = seen.get(key);
    seen.set(key, at);
    if (at < covered) continue;
    if (before === undefined) fresh.push(at);
    else for (covered = at; bytes[covered] === bytes[before + covered - at]; ) covered++;
  }
  return fresh;
}

/** Brings bytes into an order of characters whose kinds tell most about what follows: swaps, chilled slowly. */
function sortedByKind(bytes, fresh, order) {
  const follows = Array.from({ length: 256 }, () => new Int32Array(256));
  for (const at of fresh) if (at > 0) follows[bytes[at - 1]][bytes[at]]++;
  const kinds = Array.from({ length: KINDS.length + 1 }, () => new Int32Array(256));
  order.forEach((byte, at) => {
    const kind = kinds[KIND_OF[at]];
    follows[byte].forEach((count, next) => {
      kind[next] += count;
    });
  });
  const weights = Float64Array.from(
    { length: fresh.length + 1 },
    (_, count) => count && count * Math.log2(count),
  );
  // What it takes to write the bytes after one kind.
  const bits = (counts) => {
    let sum = 0;
    let total = 0;
    for (let byte = 0; byte < 256; byte++) {
      const count = counts[byte];
      if (count === 0) continue;
      sum += ENTRY - weights[count];
      total += count;
    }
    return sum + weights[total];
  };
  const costs = kinds.map(bits);
  const random = dice();
  const [one, two] = [new Int32Array(256), new Int32Array(256)];
  for (let swap = 0; swap < SWAPS; swap++) {
    const [i, j] = [Math.floor(random() * order.length), Math.floor(random() * order.length)];
    const [a, b] = [KIND_OF[i], KIND_OF[j]];
    if (a === b) continue;
    const [from, to] = [follows[order[i]], follows[order[j]]];
    for (let next = 0; next < 256; next++) {
      const change = to[next] - from[next];
      one[next] = kinds[a][next] + change;
      two[next] = kinds[b][next] - change;
    }
    const [costOne, costTwo] = [bits(one), bits(two)];
    const worse = costOne + costTwo - costs[a] - costs[b];
    const heat = 60 * Math.exp((-6 * swap) / SWAPS);
    if (worse >= 0 && Math.exp(-worse / heat) <= random()) continue;
    kinds[a].set(one);
    kinds[b].set(two);
    [costs[a], costs[b]] = [costOne, costTwo];
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Numbers from 0 to 1, the same in every build. */
function dice() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The source of the module that holds a wasm module. */
export function inlineSource(bytes) {
  const { text, bytes: alphabet } = encode(bytes);
  return `export const wasmText = "${text}";\nexport const wasmBytes = "${alphabet}";\n`;
}

export const inlineTypes = `/** The wasm module, one character per byte. */
export declare const wasmText: string;
/** The bytes of the characters of one byte in hexadecimal, in the order of the code points. */
export declare const wasmBytes: string;
`;
