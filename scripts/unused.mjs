// Takes out of the linked module what nobody misses. A panic ends in a trap, and what it says goes nowhere in a page: so
// the functions of the standard library that lead there trap at once, and their texts, the places in the source and the
// formatting are not needed. And it finds what only some exports need: parts.mjs makes a module of its own of it.
import { linked } from "./linked.mjs";

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
  const { functions, data, exported, slots, firstSlot, rewritten } = linked(wasm);
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

  const bodies = functions.map((item) =>
    !traps.has(item) && (first.has(item) || second.has(item)) ? wasm.subarray(item.head, item.end) : TRAP,
  );
  const shrunk = rewritten(bodies, (left) => {
    for (const { start, end } of data) left.fill(0, start, end);
    for (const item of data) {
      // Two names may stand for the same bytes.
      if (first.has(item) || second.has(item)) left.set(wasm.subarray(item.start, item.end), item.start);
    }
  });

  const own = new Set();
  for (const item of data) {
    // Up to where the next one may begin.
    if (second.has(item)) for (let at = item.at; at < sizeOf(item) + item.at || at % 4 > 0; at++) own.add(at);
  }
  for (const item of data) {
    if (first.has(item)) for (let i = 0; i < sizeOf(item); i++) own.delete(item.at + i);
  }
  const isOwn = (item) => second.has(item) && !first.has(item);
  return {
    wasm: shrunk,
    own: { data: own, slots: slots.flatMap((item, i) => (isOwn(item) ? [firstSlot + i] : [])) },
  };
}

const sizeOf = ({ start, end }) => end - start;
