// The functions of a module, and how they are written with other numbers: whom they call, and their locals in the order
// in which the code comes to them, without those that it never does. streams.mjs needs no number for what comes next.
import { joined, sized, unsigned } from "./wasm-reader.mjs";

const [GLOBAL_GET, GLOBAL_SET, TABLE_GET, TABLE_SET, REF_FUNC] = [0x23, 0x24, 0x25, 0x26, 0xd2];

/**
 * @typedef {object} Func
 * @property {number} params how many of its locals are parameters
 * @property {number[]} types of the other locals
 * @property {{ place: number, after: number, kind: string, value: number }[]} numbers where it calls, or uses a local
 * @property {number[]} calls
 * @property {boolean} others whether it uses tables or globals besides the stack
 * @property {number} code where its instructions begin
 * @property {number} end
 */

/**
 * The function that the cursor is at.
 *
 * @returns {Func}
 */
export function functionAt(wasm, cursor, params) {
  const end = cursor.number() + cursor.at;
  const types = [];
  for (let groups = cursor.number(); groups > 0; groups--) {
    const count = cursor.number();
    const type = cursor.byte();
    types.push(...Array(count).fill(type));
  }
  const code = cursor.at;
  const numbers = [];
  let others = false;
  while (cursor.at < end) {
    const opcode = wasm[cursor.at];
    others ||= [GLOBAL_GET, GLOBAL_SET].includes(opcode) && wasm[cursor.at + 1] !== 0;
    others ||= [TABLE_GET, TABLE_SET, REF_FUNC].includes(opcode);
    const { from, kind, value } = cursor.instruction();
    if (kind === "call" || kind === "local") numbers.push({ place: from, after: cursor.at, kind, value });
  }
  const calls = numbers.filter(({ kind }) => kind === "call").map(({ value }) => value);
  return { params, types, numbers, calls, others, code, end };
}

/**
 * The function behind its size, with its calls led elsewhere.
 *
 * @param {Uint8Array} wasm
 * @param {Func} one
 * @param {Map<number, number>} index
 */
export function written(wasm, { params, types, numbers, code, end }, index) {
  const locals = new Map(Array.from({ length: params }, (_, i) => [i, i]));
  const groups = [];
  const parts = [];
  let from = code;
  for (const { place, after, kind, value } of numbers) {
    if (kind === "local" && !locals.has(value)) {
      locals.set(value, locals.size);
      const type = types[value - params];
      if (groups.at(-1)?.type === type) groups.at(-1).count++;
      else groups.push({ type, count: 1 });
    }
    parts.push(wasm.subarray(from, place), unsigned((kind === "local" ? locals : index).get(value)));
    from = after;
  }
  const declared = groups.map(({ type, count }) => joined([unsigned(count), Uint8Array.of(type)]));
  return sized(joined([unsigned(groups.length), ...declared, ...parts, wasm.subarray(from, end)]));
}

/**
 * Functions in the order in which the code before calls them; one that nothing before calls comes when all else is done,
 * `roots` first.
 *
 * @template T
 * @param {Iterable<T>} roots
 * @param {Set<T>} all
 * @param {(one: T) => Iterable<T>} callsOf
 * @returns {T[]}
 */
export function inOrderOfCalls(roots, all, callsOf) {
  const order = new Set();
  for (const root of [...roots, ...all]) {
    if (!all.has(root)) continue;
    // A set goes on with what is added to it meanwhile.
    const found = new Set([root]);
    for (const one of found) {
      if (order.has(one)) continue;
      order.add(one);
      for (const called of callsOf(one)) if (all.has(called)) found.add(called);
    }
  }
  return [...order];
}
