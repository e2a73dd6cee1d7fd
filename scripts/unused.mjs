// Takes out of the linked module what nobody misses. A panic ends in a trap, and what it says goes nowhere in a page: so
// the functions of the standard library that lead there trap at once, and their texts, the places in the source and the
// formatting are not needed. It puts texts beside texts, and those that stand in others where they stand. And it finds
// what only some exports need: parts.mjs makes a module of its own of it.
import { linked } from "./linked.mjs";
import { inOrderOfCalls } from "./wasm-functions.mjs";

/** Functions that end in a panic, and nothing but that: parts of mangled names. */
const PANICS = [
  /4core9panicking/,
  /4core(6option|6result|5slice|3str).*\d(\w+_)?fail(ed)?/,
  /4core4cell\d+panic_/,
  /5alloc.*\d(assert_failed|handle_error|capacity_overflow|handle_alloc_error)/,
  /3std6thread5local18panic_access_error/,
  /rust_begin_unwind|__rust_alloc_error_handler/,
];
const TRAP = Uint8Array.of(3, 0, 0x00, 0x0b);

/**
 * @typedef {{ data: Set<number>, slots: number[] }} Own Addresses, and places in the table.
 *
 * @param {Uint8Array} wasm linked with `--emit-relocs`
 * @param {string[]} moved exports that are to be in a module of their own
 * @returns {{ wasm: Uint8Array, own: Own }} `own`: what only the `moved` need
 */
export function takeOutUnused(wasm, moved) {
  const { functions, data, exported, slots, firstSlot, readdressed, rewritten } = linked(wasm);
  const traps = new Set(functions.filter(({ name }) => PANICS.some((part) => part.test(name))));
  // Where in the source a panic would be: the name of a file, a line and a column.
  const text = ({ start, end }) => Buffer.from(wasm.subarray(start, end)).toString("latin1");
  const isSource = (item) => item?.at !== undefined && /\.rs\0?$/.test(text(item));
  const locations = new Set(
    data.filter((item) => sizeOf(item) === 16 && item.uses.length === 1 && isSource(item.uses[0])),
  );

  const reached = (roots) => {
    const seen = new Set();
    const open = [...roots];
    while (open.length > 0) {
      const item = open.pop();
      if (seen.has(item) || locations.has(item)) continue;
      seen.add(item);
      if (!traps.has(item)) open.push(...item.uses);
    }
    return seen;
  };
  // wasm-bindgen puts a hash behind the name.
  const moves = ({ name }) => moved.some((one) => name === one || name.startsWith(`${one}_`));
  const first = reached(exported.filter((one) => !moves(one)).map(({ item }) => item));
  const second = reached(exported.filter(moves).map(({ item }) => item));

  const used = (item) => first.has(item) || second.has(item);
  const places = inOrderOfUse(
    [...exported.filter((one) => !moves(one)), ...exported.filter(moves)]
      .map(({ item }) => item)
      .concat(slots),
    new Set(functions.filter((item) => used(item) && !traps.has(item))),
  );
  const to = addressesOf(
    data.filter((item) => !item.fixed && used(item)),
    wasm,
    (item) => !first.has(item),
    (item) => places.get(item) ?? places.size,
  );
  const bytes = readdressed(to);
  const left = Uint8Array.from(bytes);
  for (const { start, end } of data) left.fill(0, start, end);
  for (const item of data.filter(used)) {
    const place = item.start + (to.get(item) ?? item.at) - item.at;
    left.set(bytes.subarray(item.start, item.end), place);
  }
  const bodies = functions.map((item) =>
    !traps.has(item) && used(item) ? bytes.subarray(item.head, item.end) : TRAP,
  );

  const own = new Set();
  const each = (items, act) => {
    for (const item of items) for (let i = 0; i < sizeOf(item); i++) act((to.get(item) ?? item.at) + i);
  };
  each(
    data.filter((item) => second.has(item)),
    (at) => own.add(at),
  );
  each(
    data.filter((item) => first.has(item)),
    (at) => own.delete(at),
  );
  const isOwn = (item) => second.has(item) && !first.has(item);
  return {
    wasm: rewritten(bodies, left),
    own: { data: own, slots: slots.flatMap((item, i) => (isOwn(item) ? [firstSlot + i] : [])) },
  };
}

/** Where the code first uses each of the data, about: the optimiser puts functions into others later. */
function inOrderOfUse(roots, functions) {
  const places = new Map();
  for (const { uses } of inOrderOfCalls(roots, functions, ({ uses }) => uses))
    for (const item of uses) if (item.at !== undefined && !places.has(item)) places.set(item, places.size);
  return places;
}

/**
 * New addresses for data: a text that stands in a longer one stays there, texts stand beside texts, which compress better
 * than between numbers, what is `own` comes last, and what is used earlier comes first (streams.mjs).
 *
 * @param {import("./linked.mjs").Item[]} items
 * @param {Uint8Array} wasm
 * @param {(item: import("./linked.mjs").Item) => boolean} isOwn
 * @param {(item: import("./linked.mjs").Item) => number} placeOf
 */
function addressesOf(items, wasm, isOwn, placeOf) {
  if (items.some(({ start, at }) => start - at !== items[0].start - items[0].at))
    throw new Error("constants lie in several places");
  const isText = ({ uses, start, end }) =>
    uses.length === 0 && wasm.subarray(start, end).every((byte) => byte > 8 && byte !== 127);
  const blocks = [];
  for (const item of items.sort((a, b) => a.at - b.at)) {
    // Texts may share their ends already.
    const last = blocks.at(-1);
    if (item.at < last?.end) {
      last.items.push(item);
      last.end = Math.max(last.end, item.at + sizeOf(item));
    } else blocks.push({ items: [item], at: item.at, end: item.at + sizeOf(item) });
  }
  for (const block of blocks) {
    const { start } = block.items[0];
    const bytes = wasm.subarray(start, start + block.end - block.at);
    if (block.items.every(isText)) block.text = Buffer.from(bytes).toString("latin1");
    block.isOwn = block.items.every(isOwn);
  }

  const homes = blocks.filter(({ text }) => text !== undefined).sort((a, b) => b.text.length - a.text.length);
  for (const [i, block] of homes.entries()) {
    block.home = homes
      .slice(0, i)
      .find(({ text, home, isOwn }) => !home && (block.isOwn || !isOwn) && text.includes(block.text));
  }
  const to = new Map();
  const put = ({ items, at }, place) => {
    for (const item of items) to.set(item, place + item.at - at);
  };
  for (const block of blocks) block.place = Math.min(...block.items.map(placeOf));
  for (const { home, place } of blocks) if (home) home.place = Math.min(home.place, place);
  const rank = ({ text, isOwn }) => (isOwn ? 2 : 0) + (text === undefined ? 1 : 0);
  let next = blocks[0].at;
  for (const block of blocks
    .filter(({ home }) => !home)
    .sort((a, b) => rank(a) - rank(b) || a.place - b.place)) {
    while (block.text === undefined && block.at % 4 === 0 && next % 4 > 0) next++;
    put(block, next);
    next += block.end - block.at;
  }
  for (const block of homes) {
    const { home, text } = block;
    if (home) put(block, to.get(home.items[0]) + home.text.indexOf(text));
  }
  return to;
}

const sizeOf = ({ start, end }) => end - start;
