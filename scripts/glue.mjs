// Short names between the module and its glue. wasm-bindgen calls an import after its place in the source and a hash
// of the crate; both ends know it by name only, so any other name will do.

/**
 * @param {Uint8Array} wasm the module
 * @param {string} glue the JavaScript that wasm-bindgen made for it
 * @returns {{ wasm: Uint8Array, glue: string }}
 */
export function shortenImports(wasm, glue) {
  const names = [];
  const parts = [];
  let done = 0;
  const cursor = reader(wasm);
  for (const section of cursor.sections()) {
    if (section.id !== 2) continue;
    const body = [];
    let from = section.start;
    const count = cursor.number();
    for (let i = 0; i < count; i++) {
      cursor.skip(cursor.number());
      const at = cursor.at;
      const name = cursor.text();
      const short = shortName(names.length);
      names.push([name, short]);
      body.push(wasm.subarray(from, at), sized(new TextEncoder().encode(short)));
      from = cursor.at;
      cursor.importType();
    }
    body.push(wasm.subarray(from, section.end));
    parts.push(wasm.subarray(done, section.head + 1), sized(joined(body)));
    done = section.end;
  }
  parts.push(wasm.subarray(done));
  for (const [name, short] of names) {
    const found = glue.split(name).length - 1;
    if (found !== 1) throw new Error(`the glue names the import ${name} ${found} times`);
    glue = glue.replace(name, short);
  }
  return { wasm: joined(parts), glue };
}

/** a, b, ... z, a0, b0, ... */
const shortName = (index) =>
  String.fromCharCode(97 + (index % 26)) + (index < 26 ? "" : String(Math.floor(index / 26) - 1));

/** Bytes behind their length in LEB128. */
function sized(bytes) {
  const length = [];
  for (let left = bytes.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) return joined([Uint8Array.from(length), bytes]);
  }
}

function joined(parts) {
  return Uint8Array.from(Buffer.concat(parts));
}

function reader(wasm) {
  const cursor = {
    at: 8,
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
      const kind = wasm[cursor.at++];
      if (kind === 0) cursor.number();
      else if (kind === 3) cursor.skip(2);
      else {
        if (kind === 1) cursor.skip(1);
        cursor.limits();
      }
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
  };
  return cursor;
}
