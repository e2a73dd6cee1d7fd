// Short names between the module and its glue. wasm-bindgen calls an import after its place in the source and a hash of
// the crate, and exports after the functions; both ends know them by name only, so any other names will do.
import { reader, SECTION } from "./wasm-reader.mjs";

/**
 * @param {Uint8Array} wasm the module
 * @param {string} glue the JavaScript that wasm-bindgen made for it
 * @returns {{ wasm: Uint8Array, glue: string }}
 */
export function shortenNames(wasm, glue) {
  const parts = [];
  let done = 0;
  const cursor = reader(wasm);
  for (const section of cursor.sections()) {
    if (section.id !== SECTION.imports && section.id !== SECTION.exports) continue;
    const imports = section.id === SECTION.imports;
    const body = [];
    let from = section.start;
    const count = cursor.number();
    for (let i = 0; i < count; i++) {
      if (imports) cursor.skip(cursor.number());
      const at = cursor.at;
      const name = cursor.text();
      const short = shortName(i);
      glue = renamed(glue, name, short, imports);
      body.push(wasm.subarray(from, at), sized(new TextEncoder().encode(short)));
      from = cursor.at;
      if (imports) cursor.importType();
      else cursor.exportPlace();
    }
    body.push(wasm.subarray(from, section.end));
    parts.push(wasm.subarray(done, section.head + 1), sized(joined(body)));
    done = section.end;
  }
  parts.push(wasm.subarray(done));
  return { wasm: joined(parts), glue };
}

/** The glue names an import once, as a member; an export as a member of `wasm`. */
function renamed(glue, name, short, isImport) {
  const uses = glue.match(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, "g"))?.length ?? 0;
  const members = glue.split(new RegExp(`(?<=\\bwasm\\.)${name}(?![\\w$])`));
  if (isImport && uses !== 1) throw new Error(`the glue names the import ${name} ${uses} times`);
  return isImport ? glue.replace(name, short) : members.join(short);
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
