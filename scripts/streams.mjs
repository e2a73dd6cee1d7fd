// The module taken apart into streams for the compressor. In the code an opcode, the local it reads and the offset it
// adds stand side by side; apart, alike things follow each other, and the same module takes an eighth less.
// `join.wat` puts it together again, byte for byte.
import { arranged, byteText, NUMBERS, numberText } from "./characters.mjs";
import { reader, SECTION } from "./wasm-reader.mjs";

/** Instructions that occur less often have no token of their own. */
const RARE = 3;
const MOST_TOKENS = 255;
/** Constants below this one come first, addresses follow. */
export const SMALL = 2048;

/** The streams in the order of the text: numbers first, bytes from the table on; alike ones beside each other. */
export const STREAMS = [
  "tokens",
  "local",
  "branch",
  "call",
  "offset",
  "i32",
  "i64",
  "table",
  "locals",
  "rare",
  "head",
  "rest",
];
/** What a token says besides its bytes: the stream of the number behind it, or that a function ends. */
const PLAIN = 0;
const END = STREAMS.indexOf("table");
/** A token takes 16 bytes in the table: the length of its bytes, what it says, the bytes. */
const LONGEST = 12;

/**
 * @param {Uint8Array} wasm
 * @param {number} data where the data begins in memory
 * @returns {{ texts: string[], functions: number }} the text of each stream, and how many functions there are
 */
export function split(wasm, data) {
  const cursor = reader(wasm);
  const section = [...cursor.sections()].find(({ id }) => id === SECTION.code);
  cursor.at = section.start;
  const count = cursor.number();
  const streams = Object.fromEntries(STREAMS.map((name) => [name, []]));
  streams.head.push(...wasm.subarray(0, cursor.at));
  streams.rest.push(...wasm.subarray(section.end));

  const known = new Map();
  const instructions = [];
  for (let i = 0; i < count; i++) {
    const end = cursor.number() + cursor.at;
    const locals = cursor.at;
    for (let groups = cursor.number(); groups > 0; groups--) {
      cursor.number();
      cursor.skip(1);
    }
    streams.locals.push(...wasm.subarray(locals, cursor.at));
    while (cursor.at < end) {
      const start = cursor.at;
      const { from, kind, value } = cursor.instruction();
      const number = kind && numbered(kind, value, data);
      const bytes = wasm.subarray(start, number === undefined ? cursor.at : from);
      const what = cursor.at === end ? END : number === undefined ? PLAIN : STREAMS.indexOf(kind);
      const name = `${what} ${bytes.join()}`;
      const token = known.get(name) ?? { what, bytes, uses: 0 };
      known.set(name, token);
      token.uses++;
      instructions.push({ token, kind, number, bytes: wasm.subarray(start, cursor.at) });
    }
  }

  const table = [...known.values()]
    .filter(({ uses, bytes }) => uses >= RARE && bytes.length <= LONGEST)
    .sort((a, b) => b.uses - a.uses);
  table.length = Math.min(table.length, MOST_TOKENS);
  const rare = { what: STREAMS.indexOf("rare"), bytes: [] };
  const has = new Set(table);
  const tokens = instructions.map(({ token, kind, number, bytes }) => {
    if (!has.has(token)) streams.rare.push(bytes.length, ...bytes);
    else if (number !== undefined) streams[kind].push(number);
    return has.has(token) ? token : rare;
  });
  const order = arranged(tokens, [...table, rare]);
  const places = new Map(order.map((token, i) => [token, i]));
  streams.tokens = tokens.map((token) => places.get(token));
  streams.table = order.flatMap(({ what, bytes }) => {
    const padding = new Uint8Array(14 - bytes.length);
    return [bytes.length, what * 4, ...bytes, ...padding];
  });
  const texts = STREAMS.map((name, i) => streams[name].map(i < END ? numberText : byteText).join(""));
  return { texts, functions: count };
}

/** The number that stands for a value in its stream, unless it has none. */
function numbered(kind, value, data) {
  if (kind === "i32" && value >= data) value += SMALL - data;
  else if (kind === "i32" && value >= SMALL) return undefined;
  return value >= 0 && value < NUMBERS ? value : undefined;
}
