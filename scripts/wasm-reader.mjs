// Reading a module: numbers, sections, imports, instructions. Only what rustc and wasm-opt write for `wasmFeatures`.

/** The kinds of sections that the scripts look at. */
export const SECTION = {
  ...{ custom: 0, types: 1, imports: 2, functions: 3, tables: 4, memories: 5, globals: 6 },
  ...{ exports: 7, elements: 9, code: 10, data: 11, dataCount: 12 },
};

/** A number in LEB128. */
export function unsigned(value) {
  const bytes = [];
  for (let left = value; ; left >>>= 7) {
    bytes.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) return Uint8Array.from(bytes);
  }
}

/** Bytes behind their length. */
export const sized = (bytes) => joined([unsigned(bytes.length), bytes]);

export const joined = (parts) => Uint8Array.from(Buffer.concat(parts));

export function reader(wasm, at = 8) {
  const cursor = {
    at,
    byte: () => wasm[cursor.at++],
    number() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = wasm[cursor.at++];
        value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
      }
    },
    skip(length) {
      cursor.at += length;
    },
    text() {
      const length = cursor.number();
      cursor.skip(length);
      return new TextDecoder().decode(wasm.subarray(cursor.at - length, cursor.at));
    },
    limits() {
      const flags = cursor.number();
      cursor.number();
      if (flags & 1) cursor.number();
    },
    importType() {
      const kind = cursor.byte();
      if (kind === 0) cursor.number();
      else if (kind === 3) cursor.skip(2);
      else {
        if (kind === 1) cursor.skip(1);
        cursor.limits();
      }
      return kind;
    },
    exportPlace() {
      cursor.skip(1);
      cursor.number();
    },
    *sections() {
      while (cursor.at < wasm.length) {
        const head = cursor.at++;
        const id = wasm[head];
        const length = cursor.number();
        const start = cursor.at;
        yield { id, head, start, end: start + length };
        cursor.at = start + length;
      }
    },
    /** A signed number, of which the scripts need no more digits than a double has. */
    signed() {
      let value = 0;
      for (let size = 1; ; size *= 128) {
        const byte = wasm[cursor.at++];
        value += (byte & 127) * size;
        if (byte < 128) return byte < 64 ? value : value - size * 128;
      }
    },
    /** Goes past an instruction. If it ends with a number of a kind: where that begins, and its value. */
    instruction() {
      const opcode = cursor.byte();
      const [before, kind] = shape(opcode, cursor);
      for (let i = 0; i < before; i++) cursor.number();
      const from = cursor.at;
      return { from, kind, value: kind && (kind[0] === "i" ? cursor.signed() : cursor.number()) };
    },
  };
  return cursor;
}

/** How many numbers follow an opcode, and the kind of one more behind them. */
function shape(opcode, cursor) {
  if (opcode >= 0x20 && opcode <= 0x22) return [0, "local"];
  if (opcode >= 0x28 && opcode <= 0x3e) return [1, "offset"];
  if (opcode >= 0x45 && opcode <= 0xc4) return [0];
  switch (opcode) {
    case 0x02: // block, loop, if: a type
    case 0x03:
    case 0x04:
      return [1];
    case 0x0c:
    case 0x0d:
      return [0, "branch"];
    case 0x0e: {
      // br_table: how many, so many branches, and the default
      const count = cursor.number();
      return [count + 1];
    }
    case 0x10:
      return [0, "call"];
    case 0x11:
      return [2];
    case 0x23: // globals, tables, memory.size, memory.grow, ref.null, ref.func
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x3f:
    case 0x40:
    case 0xd0:
    case 0xd2:
      return [1];
    case 0x41:
      return [0, "i32"];
    case 0x42:
      return [0, "i64"];
    case 0x43:
      cursor.skip(4);
      return [0];
    case 0x44:
      cursor.skip(8);
      return [0];
    case 0xfc: {
      const sub = cursor.number();
      if (sub < 8) return [0];
      return [[8, 10, 12, 14].includes(sub) ? 2 : 1];
    }
    case 0x00: // unreachable, nop, else, end, return, drop, select, ref.is_null
    case 0x01:
    case 0x05:
    case 0x0b:
    case 0x0f:
    case 0x1a:
    case 0x1b:
    case 0xd1:
      return [0];
    default:
      throw new Error(`an instruction that the build does not know: 0x${opcode.toString(16)}`);
  }
}
