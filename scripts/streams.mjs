// The module taken apart into streams for the compressor. In the code an opcode, the local it reads and the offset it
// adds stand side by side; apart, alike things follow each other, and the same module takes a seventh less. What is named
// again is told by where it was named last, and what is new needs no name (wasm-functions.mjs and parts.mjs number
// locals and functions in the order in which they come). `join.wat` puts the module together again, byte for byte.
import { arranged, byteText, NUMBERS, numberText } from "./characters.mjs";
import { reader, SECTION } from "./wasm-reader.mjs";

/** Instructions that occur less often have no token of their own. */
const RARE = 3;
const MOST_TOKENS = 255;
/** What is remembered. A function that is called stands in its list twice. */
export const MOST_LOCALS = 128;
export const MOST_ADDRESSES = 4096;
export const MOST_FUNCTIONS = 4096;

/** The streams in the order of the text: numbers first, bytes from the table on; alike ones beside each other. */
export const STREAMS = [
  "tokens",
  "local",
  "set",
  "branch",
  "call",
  "offset",
  "store",
  "fresh",
  "add",
  "i64",
  "i32",
  "address",
  "table",
  "head",
  "rare",
  "locals",
  "rest",
];
/** What a token says besides its bytes: the stream of the number behind it, or that a function ends. */
const PLAIN = 0;
const END = STREAMS.indexOf("table");
/** In memory a token takes 16 bytes: the length of its bytes, what it says, the bytes. */
const LONGEST = 12;

/** Numbers above are part of their token: a stream has no room for them. */
const MOST = { local: MOST_LOCALS, call: NUMBERS - 1, offset: NUMBERS / 2 };

/** Opcodes. */
const LOCAL_GET = 0x20;
const FIRST_STORE = 0x36;
const ADD_OR_SUB = [0x6a, 0x6b];
/** Numbers so frequent that they are part of their token. */
const FOLDED = { i32: [0, 1], i64: [0, 1] };

/**
 * @param {Uint8Array} wasm
 * @param {number} data where the data begins in memory
 * @returns {{ texts: string[], functions: number, imported: number }} the text of each stream, and how many functions
 * the module has and imports
 */
export function split(wasm, data) {
  const cursor = reader(wasm);
  const sections = [...cursor.sections()];
  const streams = Object.fromEntries(STREAMS.map((name) => [name, []]));
  const section = sections.find(({ id }) => id === SECTION.code);
  cursor.at = section.start;
  const count = cursor.number();
  streams.head.push(...wasm.subarray(0, cursor.at));
  streams.rest.push(...wasm.subarray(section.end));

  const known = new Map();
  const functions = Array.from({ length: count }, () => {
    const end = cursor.number() + cursor.at;
    const locals = cursor.at;
    for (let groups = cursor.number(); groups > 0; groups--) {
      cursor.number();
      cursor.skip(1);
    }
    streams.locals.push(...wasm.subarray(locals, cursor.at));
    const code = [];
    while (cursor.at < end) code.push({ start: cursor.at, ...cursor.instruction(), end: cursor.at });
    return code.map((one, i) => {
      const stream = streamOf(wasm, one, code[i + 1], data);
      const bytes = wasm.subarray(one.start, stream === undefined ? one.end : one.from);
      const what = one.end === end ? END : stream === undefined ? PLAIN : STREAMS.indexOf(stream);
      const name = `${what} ${bytes.join()}`;
      const token = known.get(name) ?? { what, bytes, uses: 0 };
      known.set(name, token);
      token.uses++;
      return { token, stream, value: one.value, bytes: wasm.subarray(one.start, one.end) };
    });
  });

  const table = [...known.values()]
    .filter(({ uses, bytes }) => uses >= RARE && bytes.length <= LONGEST)
    .sort((a, b) => b.uses - a.uses);
  table.length = Math.min(table.length, MOST_TOKENS);
  const rare = { what: STREAMS.indexOf("rare"), bytes: [] };
  const has = new Set(table);
  const imported = importedBy(cursor, sections);
  const names = namesFor(imported, count, data, streams.fresh);
  const tokens = functions.flatMap((code) => {
    names.enter();
    return code.map(({ token, stream, value, bytes }) => {
      if (!has.has(token)) streams.rare.push(bytes.length, ...bytes);
      else if (stream !== undefined) streams[stream].push(names[stream]?.(value) ?? value);
      return has.has(token) ? token : rare;
    });
  });
  const textOf = (name, i) => streams[name].map(i < END ? numberText : byteText).join("");
  const texts = STREAMS.map(textOf);
  const order = arranged(tokens, [...table, rare], texts.join(""));
  const places = new Map(order.map((token, i) => [token, i]));
  streams.tokens = tokens.map((token) => places.get(token));
  streams.table = order.flatMap(({ what, bytes }) => [bytes.length, what * 4, ...bytes]);
  for (const name of ["tokens", "table"]) texts[STREAMS.indexOf(name)] = textOf(name, STREAMS.indexOf(name));
  return { texts, functions: count, imported };
}

/** The stream for the number at the end of an instruction; none if it is part of the token. */
function streamOf(wasm, { start, kind, value }, after, data) {
  if (kind === "i32" && value >= data && value < data + NUMBERS) return "address";
  if (kind === undefined || value < 0 || value >= (MOST[kind] ?? NUMBERS)) return undefined;
  const opcode = wasm[start];
  if (kind === "local" && opcode !== LOCAL_GET) return "set";
  if (FOLDED[kind]?.includes(value)) return undefined;
  if (kind === "offset") return opcode < FIRST_STORE ? kind : "store";
  return kind === "i32" && ADD_OR_SUB.includes(wasm[after?.start]) ? "add" : kind;
}

/**
 * What stands in the streams for some numbers. A local: how many others were named since. A local that is set, a function
 * or an address: 0 for the next one that was not named yet, else one more than how many others were named since. An
 * offset: how far it is from the one before, in loads from the one behind the same local.
 */
function namesFor(imported, functions, data, fresh) {
  if (imported + 2 * functions > MOST_FUNCTIONS) throw new Error("more functions than the decoder remembers");
  const calls = range(imported + functions);
  const addresses = [];
  let locals = [];
  let highest = -1;
  let loads = new Map();
  let store = 0;
  let at = imported;
  let next = imported;
  let last = data;
  const local = (value) => {
    highest = Math.max(highest, value);
    return toFront(locals, value);
  };
  return {
    /** The next function begins. */
    enter() {
      locals = range(MOST_LOCALS);
      highest = -1;
      loads = new Map();
      store = 0;
      next = Math.max(next, ++at);
    },
    local,
    set(value) {
      if (value !== highest + 1) return local(value) + 1;
      highest++;
      locals.unshift(value);
      return 0;
    },
    call(value) {
      if (value !== next) return toFront(calls, value) + 1;
      next++;
      calls.unshift(value);
      return 0;
    },
    address(value) {
      if (addresses.includes(value)) return toFront(addresses, value) + 1;
      if (addresses.length === MOST_ADDRESSES) throw new Error("more addresses than the decoder remembers");
      addresses.unshift(value);
      fresh.push((value - last + NUMBERS) % NUMBERS);
      last = value;
      return 0;
    },
    offset(value) {
      const before = loads.get(locals[0]) ?? 0;
      loads.set(locals[0], value);
      return distance(value - before);
    },
    store(value) {
      const before = store;
      store = value;
      return distance(value - before);
    },
  };
}

const range = (length) => Array.from({ length }, (_, i) => i);

/** Where a value stands in a list; it moves to the front. What is new goes there too, and stays where it is. */
function toFront(list, value) {
  const place = list.indexOf(value);
  list.unshift(...list.splice(place, 1));
  return place;
}

/** A number with its sign in the last bit. */
const distance = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

function importedBy(cursor, sections) {
  const section = sections.find(({ id }) => id === SECTION.imports);
  cursor.at = section.start;
  let functions = 0;
  for (let count = cursor.number(); count > 0; count--) {
    cursor.skip(cursor.number());
    cursor.skip(cursor.number());
    if (cursor.importType() === 0) functions++;
  }
  return functions;
}
