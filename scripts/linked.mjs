// What the linker knows and a module does not say: which functions and which data use which others (`--emit-relocs`).
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
import { joined, reader, SECTION, sized, unsigned } from "./wasm-reader.mjs";

/** Kinds of symbols. */
const FUNCTION = 0;
const DATA = 1;
const SECTION_SYMBOL = 3;
/** Flags of symbols. */
const UNDEFINED = 0x10;
const NAMED = 0x40;
/** The parts of the section `linking` that name the segments of the data and list the symbols. */
const SEGMENTS = 5;
const SYMBOL_TABLE = 8;
/** Relocations by number: of functions, the table, addresses (as a number in code, or as four bytes), types, globals. */
const ADDRESSES = [3, 4, 5];
const FOUR_BYTES = 5;
const TYPE_INDEX = 6;
const KNOWN = [0, 1, 2, ...ADDRESSES, TYPE_INDEX, 7, 20];

/**
 * A function or an object of the data.
 *
 * @typedef {object} Item
 * @property {string} name mangled
 * @property {Item[]} uses what it calls, or has the address of
 * @property {number} start where it begins in the file
 * @property {number} end
 * @property {number} [at] its address, of data
 * @property {boolean} [fixed] whether the program writes to it
 * @property {number} [head] where the size of a function stands in the file
 */

/**
 * @param {Uint8Array} wasm
 * @returns {{
 *   functions: Item[], data: Item[], exported: { name: string, item: Item }[], slots: Item[], firstSlot: number,
 *   rewritten: (bodies: Uint8Array[], bytes: Uint8Array) => Uint8Array,
 *   readdressed: (to: Map<Item, number>) => Uint8Array,
 * }} `slots`: the functions of the table. `rewritten`: the module with other functions, their sizes before them, and
 * the data of `bytes`, a copy of the file, and without what the linker has left. `readdressed`: a copy of the file in
 * which data has other addresses, but still lies where it was
 */
export function linked(wasm) {
  const cursor = reader(wasm);
  const sections = [...cursor.sections()].map((section) => {
    if (section.id !== SECTION.custom) return section;
    cursor.at = section.start;
    return { ...section, name: cursor.text(), start: cursor.at };
  });
  const section = (wanted) => {
    const found = sections.find(({ id, name }) => (name ?? id) === wanted);
    if (found === undefined) throw new Error(`the linker has left no section ${wanted}`);
    cursor.at = found.start;
    return found;
  };
  const items = (wanted, one) => {
    section(wanted);
    return Array.from({ length: cursor.number() }, one);
  };

  const imported = items(SECTION.imports, () => {
    cursor.skip(cursor.number());
    cursor.skip(cursor.number());
    cursor.importType();
  }).length;
  const functions = items(SECTION.code, () => {
    const head = cursor.at;
    const size = cursor.number();
    cursor.skip(size);
    return { name: "", uses: [], head, start: cursor.at - size, end: cursor.at };
  });
  const places = items(SECTION.data, () => {
    cursor.skip(1);
    const address = cursor.instruction().value;
    cursor.skip(1);
    const size = cursor.number();
    cursor.skip(size);
    return { address, start: cursor.at - size };
  });
  const exports = items(SECTION.exports, () => ({
    name: cursor.text(),
    isFunction: cursor.byte() === 0,
    at: cursor.number(),
  }));
  let firstSlot = 0;
  const [slots] = items(SECTION.elements, () => {
    cursor.number();
    firstSlot = cursor.instruction().value;
    cursor.skip(1);
    return Array.from({ length: cursor.number() }, () => functions[cursor.number() - imported]);
  });

  const symbol = () => {
    const kind = cursor.byte();
    const flags = cursor.number();
    if (kind === SECTION_SYMBOL) return void cursor.number();
    if (kind === DATA) {
      const name = cursor.text();
      if (flags & UNDEFINED) return undefined;
      const segment = cursor.number();
      const { address, start } = places[segment];
      const offset = cursor.number();
      const size = cursor.number();
      const at = start + offset;
      return { name, uses: [], at: address + offset, start: at, end: at + size, segment };
    }
    const item = kind === FUNCTION ? functions[cursor.number() - imported] : void cursor.number();
    const name = !(flags & UNDEFINED) || flags & NAMED ? cursor.text() : "";
    if (item !== undefined) item.name = name;
    return item;
  };
  let symbols = [];
  let segmentNames = [];
  const { end } = section("linking");
  cursor.number();
  while (cursor.at < end) {
    const kind = cursor.byte();
    const next = cursor.number() + cursor.at;
    if (kind === SEGMENTS) {
      segmentNames = Array.from({ length: cursor.number() }, () => {
        const name = cursor.text();
        cursor.number();
        cursor.number();
        return name;
      });
    } else if (kind === SYMBOL_TABLE) symbols = Array.from({ length: cursor.number() }, symbol);
    cursor.at = next;
  }
  const data = symbols
    .filter((item) => item?.at !== undefined && item.end > item.start)
    .map((item) => Object.assign(item, { fixed: !segmentNames[item.segment]?.startsWith(".rodata") }));
  // The address of data is exported under the name of the data.
  const exported = exports.flatMap(({ name, isFunction, at }) => {
    const item = isFunction ? functions[at - imported] : data.find((item) => item.name === name);
    return item ? [{ name, item }] : [];
  });

  const addresses = [];
  for (const [name, owners] of [
    ["reloc.CODE", functions],
    ["reloc.DATA", data],
  ]) {
    section(name);
    const { start: base } = sections[cursor.number()];
    const uses = Array.from({ length: cursor.number() }, () => {
      const type = cursor.byte();
      const place = base + cursor.number();
      const target = cursor.number();
      if (!KNOWN.includes(type)) throw new Error(`a relocation that the build does not know: ${type}`);
      const used = type === TYPE_INDEX ? undefined : symbols[target];
      if (ADDRESSES.includes(type)) addresses.push({ type, place, used, plus: cursor.signed() });
      return { place, used };
    }).sort((a, b) => a.place - b.place);
    // Two symbols may name the same data: a text that stands in both crates.
    for (const owner of owners) {
      let low = 0;
      for (let high = uses.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (uses[middle].place < owner.start) low = middle + 1;
        else high = middle;
      }
      for (; uses[low]?.place < owner.end; low++) if (uses[low].used) owner.uses.push(uses[low].used);
    }
  }

  return {
    ...{ functions, data, exported, slots, firstSlot },
    readdressed(to) {
      const bytes = Uint8Array.from(wasm);
      const view = new DataView(bytes.buffer);
      for (const { type, place, used, plus } of addresses) {
        if (!to.has(used)) continue;
        const value = to.get(used) + plus;
        if (type === FOUR_BYTES) {
          view.setUint32(place, value, true);
          continue;
        }
        // The linker writes five digits, whatever the number.
        cursor.at = place;
        if (cursor.number() !== used.at + plus || cursor.at !== place + 5)
          throw new Error("no address there");
        for (let i = 0; i < 5; i++) bytes[place + i] = ((value >>> (7 * i)) & 127) | (i < 4 ? 128 : 0);
      }
      return bytes;
    },
    rewritten(bodies, bytes) {
      const kept = sections.filter(({ name }) => !/^(linking|reloc\..*)$/.test(name ?? ""));
      const written = kept.map(({ id, head, end }) =>
        id === SECTION.code
          ? joined([Uint8Array.of(id), sized(joined([unsigned(bodies.length), ...bodies]))])
          : bytes.subarray(head, end),
      );
      return joined([wasm.subarray(0, 8), ...written]);
    },
  };
}
