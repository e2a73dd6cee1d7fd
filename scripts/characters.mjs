// Characters for the module as text of JavaScript. A number is one character, the low ones one byte of UTF-8; a byte is
// itself where it can be, so that texts in the module look like texts. The numbers of tokens are free, and Brotli
// foretells a byte of text from the kind of the character before it (RFC 7932, 7.1: vowel, digit, bracket...): tokens
// that are followed by alike tokens get characters of one kind.
import { brotliSize } from "./common.mjs";

/**
 * Numbers start with this character; left out are those which string literals, templates or HTML would have to escape,
 * control characters and the soft hyphen. scripts/join.wat counts the same way.
 */
export const FIRST = 0x25;
export const GAP = [0x7f, 0xae];
const LEFT_OUT = /[<\\`]/;

/** Numbers from 0 up to here have a character. */
export const NUMBERS = 55_000;

/** Characters in the order of their code points, up to the surrogates. */
const ALPHABET = [];
for (let code = FIRST; ALPHABET.length < NUMBERS; code++) {
  const character = String.fromCharCode(code);
  if (!LEFT_OUT.test(character) && (code < GAP[0] || code >= GAP[1])) ALPHABET.push(character);
}
const SINGLE = ALPHABET.filter((character) => character < "\u007f");

export const numberText = (number) => ALPHABET[number];

/** Bytes that are no text stand beyond the first 256 characters. */
export const byteText = (byte) =>
  String.fromCharCode(/[ !#%-;=-[\]-_a-~]/.test(String.fromCharCode(byte)) ? byte : 0x100 + byte);

/** The kinds of characters that Brotli tells apart, except the last one: the rest of the punctuation. */
const KINDS = [
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

const SWAPS = 40_000;
/** The compressor makes more of some orders than of others that seem as good, by half a percent: so many are tried. */
const TRIES = 8;
/** Bits that a kind pays for each different number after it. */
const ENTRY = 1;

/**
 * @template T
 * @param {T[]} sequence
 * @param {T[]} all what it is made of, the frequent ones first
 * @param {string} behind the text that follows
 * @returns {T[]} `all`, numbered anew
 */
export function arranged(sequence, all, behind) {
  const places = new Map(all.map((item, i) => [item, i]));
  const numbers = Uint8Array.from(sequence, (item) => places.get(item));
  const numbered = all.map((_, i) => i);
  const positions = fresh(numbers);
  const tries = Array.from({ length: TRIES }, (_, i) => {
    const order = sortedByKind(numbers, positions, numbered.slice(0, SINGLE.length), i + 1);
    const whole = [...order, ...numbered.slice(SINGLE.length)];
    const characters = [];
    whole.forEach((number, place) => {
      characters[number] = numberText(place);
    });
    const text = Array.from(numbers, (number) => characters[number]).join("");
    return { whole, size: brotliSize(Buffer.from(text + behind)) };
  });
  const best = tries.reduce((a, b) => (b.size < a.size ? b : a));
  return best.whole.map((number) => all[number]);
}

/** Positions that a compressor writes out, because what stands there does not repeat something before. */
function fresh(numbers) {
  const seen = new Map();
  const found = [];
  let covered = 0;
  for (let at = 0; at < numbers.length; at++) {
    const key = String.fromCharCode(...numbers.subarray(at, at + 5));
    const before = seen.get(key);
    seen.set(key, at);
    if (at < covered) continue;
    if (before === undefined) found.push(at);
    else for (covered = at; numbers[covered] === numbers[before + covered - at]; ) covered++;
  }
  return found;
}

/** Brings numbers into an order of characters whose kinds tell most about what follows: swaps, chilled slowly. */
function sortedByKind(numbers, positions, order, seed) {
  const follows = Array.from({ length: 256 }, () => new Int32Array(256));
  for (const at of positions) if (at > 0) follows[numbers[at - 1]][numbers[at]]++;
  const kinds = Array.from({ length: KINDS.length + 1 }, () => new Int32Array(256));
  order.forEach((number, at) => {
    const kind = kinds[KIND_OF[at]];
    follows[number].forEach((count, next) => {
      kind[next] += count;
    });
  });
  const weights = Float64Array.from(
    { length: positions.length + 1 },
    (_, count) => count && count * Math.log2(count),
  );
  // What it takes to write what follows one kind.
  const bits = (counts) => {
    let sum = 0;
    let total = 0;
    for (const count of counts) {
      if (count === 0) continue;
      sum += ENTRY - weights[count];
      total += count;
    }
    return sum + weights[total];
  };
  const costs = kinds.map(bits);
  const random = dice(seed);
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
function dice(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
