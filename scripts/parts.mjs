// Takes out of a module what only some of its exports need, as a second module that works in the memory of the first:
// who does not load it does not pay for it. Only calls lead from function to function; of what stands in the table, and
// of the data, only the linker knew who needs it (unused.mjs).
import { functionAt, inOrderOfCalls, written } from "./wasm-functions.mjs";
import { joined, reader, SECTION, sized, unsigned } from "./wasm-reader.mjs";

/** The module that the second one imports from: the exports of the first. */
export const FIRST = "c";

/** Each piece of data says where it goes: shorter ones stay where they are, and so many zeros may lie between two. */
const SHORTEST = 16;
const ZEROS = 32;

/**
 * @param {Uint8Array} wasm
 * @param {string[]} moved the exports of the second module
 * @param {import("./unused.mjs").Own} own the data that they alone need, and the places in the table
 * @returns {{ first: Uint8Array, second: Uint8Array }}
 */
export function takeOut(wasm, moved, own) {
  const whole = read(wasm);
  const { imported, exported } = whole;
  const places = (chosen) =>
    exported.filter(({ name, kind }) => kind === 0 && chosen(name)).map(({ at }) => at);
  const slots = own.slots.map((slot) => ({ slot, at: whole.slots.get(slot) }));
  const others = [...whole.slots].filter(([slot]) => !own.slots.includes(slot)).map(([, at]) => at);
  const firstRoots = [...places((name) => !moved.includes(name)), ...others];
  const callsOf = (at) => whole.functions[at - imported.length]?.calls ?? [];
  const stays = reached(firstRoots, callsOf);
  const secondRoots = [...places((name) => moved.includes(name)), ...slots.map(({ at }) => at)];
  const goes = inOrderOfCalls(
    secondRoots,
    new Set([...reached(secondRoots, callsOf)].filter((at) => !stays.has(at))),
    callsOf,
  );
  if (
    slots.some(({ at }) => at === undefined) ||
    goes.some((at) => at < imported.length) ||
    !places((name) => moved.includes(name)).every((at) => goes.includes(at))
  ) {
    throw new Error("what is to move is needed by what stays, or is not there");
  }
  const gone = new Set(goes);
  const kept = whole.functions.map((_, i) => i + imported.length).filter((at) => !gone.has(at));
  const rest = inOrderOfCalls(firstRoots, new Set(kept), callsOf);
  const called = new Set(goes.flatMap(callsOf));
  const shared = [...called].filter((at) => !gone.has(at));
  const data = { left: [], taken: [] };
  for (const segment of whole.data) {
    for (const { taken, piece } of pieces(segment, own.data)) data[taken ? "taken" : "left"].push(piece);
  }
  const taken = slots.filter(({ at }) => gone.has(at));
  const asked = shared.filter((at) => at >= imported.length);
  return {
    first: first(whole, { rest, shared: asked, moved, data: filled(data.left) }),
    second: second(whole, { goes, shared, moved, slots: taken, data: data.taken }),
  };
}

/** A piece of data taken apart: those whose addresses are `own` and not too short, and those between them. */
function* pieces({ address, bytes }, own) {
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    let end = at;
    while (end < bytes.length && own.has(address + end)) end++;
    if (end - at < SHORTEST) continue;
    if (at > from)
      yield { taken: false, piece: { address: address + from, bytes: bytes.subarray(from, at) } };
    yield { taken: true, piece: { address: address + at, bytes: bytes.subarray(at, end) } };
    from = at = end;
  }
  if (bytes.length > from)
    yield { taken: false, piece: { address: address + from, bytes: bytes.subarray(from) } };
}

/** Pieces of data in the order of their addresses, those that are near each other as one. */
function filled(pieces) {
  const found = [];
  for (const { address, bytes } of pieces) {
    const last = found.at(-1);
    const between = last ? address - last.address - last.bytes.length : Number.POSITIVE_INFINITY;
    if (between <= ZEROS) last.bytes = joined([last.bytes, new Uint8Array(between), bytes]);
    else found.push({ address, bytes });
  }
  return found;
}

/** Names for what the first exports to the second: capitals, which nothing else is called. */
const capital = (i) => String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26) - 1);
const MEMORY = "_m";
const TABLE = "_t";
const STACK = "_s";

function first(whole, { rest, shared, moved, data }) {
  const { imported, functions } = whole;
  const index = new Map([...imported.keys(), ...rest].map((at, i) => [at, i]));
  const exports = whole.exported
    .filter(({ name }) => !moved.includes(name))
    .map(({ name, kind, at }) => exportOf(name, kind, kind === 0 ? index.get(at) : at))
    .concat(shared.map((at, i) => exportOf(capital(i), 0, index.get(at))))
    .concat(exportOf(TABLE, 1, 0), exportOf(MEMORY, 2, 0), exportOf(STACK, 3, 0));
  const kept = rest.map((at) => functions[at - imported.length]);
  return whole.build({
    [SECTION.functions]: list(kept.map(({ type }) => unsigned(type))),
    [SECTION.exports]: list(exports),
    [SECTION.elements]: list(
      whole.segments.map(({ slot, items }) => {
        // Nothing calls what the second module is to put into the table.
        const left = items.map((at) => index.get(at) ?? 0);
        return segmentOf(slot, left);
      }),
    ),
    [SECTION.code]: list(kept.map((one) => whole.body(one, index))),
    [SECTION.data]: list(data.map(dataOf)),
  });
}

function second(whole, { goes, shared, moved, slots, data }) {
  const { imported, functions } = whole;
  const index = new Map([...shared, ...goes].map((at, i) => [at, i]));
  let exports = 0;
  const imports = shared.map((at) =>
    at < imported.length
      ? imported[at]
      : importOf(capital(exports++), 0, unsigned(functions[at - imported.length].type)),
  );
  imports.push(
    importOf(TABLE, 1, whole.tables[0]),
    importOf(MEMORY, 2, whole.memory),
    importOf(STACK, 3, whole.stack),
  );
  const chosen = whole.exported.filter(({ name }) => moved.includes(name));
  const taken = goes.map((at) => functions[at - imported.length]);
  if (taken.some(({ others }) => others))
    throw new Error("a function that moves uses more than the stack and memory");
  return whole.build(
    {
      [SECTION.imports]: list(imports),
      [SECTION.functions]: list(taken.map(({ type }) => unsigned(type))),
      [SECTION.exports]: list(chosen.map(({ name, at }) => exportOf(name, 0, index.get(at)))),
      [SECTION.elements]: list(slots.map(({ slot, at }) => segmentOf(slot, [index.get(at)]))),
      [SECTION.code]: list(taken.map((one) => whole.body(one, index))),
      [SECTION.data]: list(data.map(dataOf)),
    },
    [SECTION.types, SECTION.imports, SECTION.functions, SECTION.exports, SECTION.elements].concat(
      SECTION.code,
      SECTION.data,
    ),
  );
}

/** The functions that calls lead to. */
function reached(roots, callsOf) {
  const seen = new Set(roots);
  // A set goes on with what is added to it meanwhile.
  for (const at of seen) for (const called of callsOf(at)) seen.add(called);
  return seen;
}

function read(wasm) {
  const cursor = reader(wasm);
  // How many pieces of data there are is said twice only for instructions that nobody uses here.
  const sections = [...cursor.sections()].filter(
    ({ id }) => id !== SECTION.custom && id !== SECTION.dataCount,
  );
  const items = (id, one) => {
    const section = sections.find((section) => section.id === id);
    if (section === undefined) return [];
    cursor.at = section.start;
    return Array.from({ length: cursor.number() }, () => one(cursor.at));
  };
  const since = (start) => wasm.subarray(start, cursor.at);
  const imported = items(SECTION.imports, (start) => {
    cursor.skip(cursor.number());
    cursor.skip(cursor.number());
    if (wasm[cursor.at] !== 0) throw new Error("the module imports more than functions");
    cursor.importType();
    return since(start);
  });
  const params = items(SECTION.types, () => {
    cursor.skip(1);
    const count = cursor.number();
    cursor.skip(count);
    cursor.skip(cursor.number());
    return count;
  });
  const types = items(SECTION.functions, () => cursor.number());
  const tables = items(SECTION.tables, (start) => {
    cursor.skip(1);
    cursor.limits();
    return since(start);
  });
  const [memory] = items(SECTION.memories, (start) => {
    cursor.limits();
    return since(start);
  });
  const [stack] = items(SECTION.globals, (start) => {
    cursor.skip(2);
    const type = since(start);
    cursor.instruction();
    cursor.skip(1);
    return type;
  });
  const exported = items(SECTION.exports, () => ({
    name: cursor.text(),
    kind: cursor.byte(),
    at: cursor.number(),
  }));
  const segments = items(SECTION.elements, () => {
    if (cursor.number() !== 0) throw new Error("a table is filled in a way that the build does not know");
    const slot = cursor.instruction().value;
    cursor.skip(1);
    return { slot, items: Array.from({ length: cursor.number() }, () => cursor.number()) };
  });
  const data = items(SECTION.data, () => {
    if (cursor.number() !== 0) throw new Error("memory is filled in a way that the build does not know");
    const address = cursor.instruction().value;
    cursor.skip(1);
    const size = cursor.number();
    cursor.skip(size);
    return { address, bytes: wasm.subarray(cursor.at - size, cursor.at) };
  });
  const ofType = [...types];
  const functions = items(SECTION.code, () => {
    const type = ofType.shift();
    return { ...functionAt(wasm, cursor, params[type]), type };
  });

  return {
    ...{ imported, tables, memory, stack, exported, segments, functions, data },
    /** What stands where in the table. */
    slots: new Map(segments.flatMap(({ slot, items }) => items.map((at, i) => [slot + i, at]))),
    /** A function with its calls led elsewhere. */
    body: (one, index) => written(wasm, one, index),
    /** The module with some sections replaced, and of the others those that are `kept`. */
    build(replaced, kept = sections.map(({ id }) => id)) {
      const bodies = sections
        .filter(({ id }) => kept.includes(id))
        .map(({ id, start, end }) => [Uint8Array.of(id), sized(replaced[id] ?? wasm.subarray(start, end))]);
      return joined([wasm.subarray(0, 8), ...bodies.flat()]);
    },
  };
}

const exportOf = (name, kind, at) => joined([text(name), Uint8Array.of(kind), unsigned(at)]);
const importOf = (name, kind, type) => joined([text(FIRST), text(name), Uint8Array.of(kind), type]);
const segmentOf = (slot, items) => joined([placed(slot), list(items.map(unsigned))]);
const dataOf = ({ address, bytes }) => joined([placed(address), sized(bytes)]);
/** Into the only table, or the memory, from there on: `i32.const` and the end of it. */
const placed = (at) => joined([Uint8Array.of(0, 0x41), signed(at), Uint8Array.of(0x0b)]);
/** Below 2^31, and not negative: one digit more where the last one would be a sign. */
const signed = (value) => {
  const digits = unsigned(value);
  const last = digits.at(-1);
  return last < 64 ? digits : joined([digits.subarray(0, -1), Uint8Array.of(last | 128, 0)]);
};
const text = (name) => sized(new TextEncoder().encode(name));
const list = (items) => joined([unsigned(items.length), ...items]);
