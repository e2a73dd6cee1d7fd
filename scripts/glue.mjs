// Short names between the module and its glue. wasm-bindgen calls an import after its place in the source and a hash of
// the crate, and exports after the functions; both ends know them by name only, so any other names will do.
import { FIRST } from "./parts.mjs";
import { joined, reader, SECTION, sized } from "./wasm-reader.mjs";

/**
 * @param {Uint8Array} wasm the module
 * @param {string} glue the JavaScript that wasm-bindgen made for it
 * @returns {{ wasm: Uint8Array, glue: string, exports: Map<string, string> }} `exports`: the short name of each
 */
export function shortenNames(wasm, glue) {
  const parts = [];
  const exports = new Map();
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
      else {
        exports.set(name, short);
        cursor.exportPlace();
      }
    }
    body.push(wasm.subarray(from, section.end));
    parts.push(wasm.subarray(done, section.head + 1), sized(joined(body)));
    done = section.end;
  }
  parts.push(wasm.subarray(done));
  return { wasm: joined(parts), glue, exports };
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

/**
 * Leads the calls of `moved` exports to a second module (parts.mjs), which `attach` puts beside the first.
 *
 * @param {string} glue
 * @param {string[]} moved
 */
export function withSecond(glue, moved) {
  for (const name of moved)
    glue = glue.replaceAll(new RegExp(`\\bwasm\\.${name}(?![\\w$])`, "g"), `second.${name}`);
  return `${glue}
let second;
export function attach(module) {
    second = new WebAssembly.Instance(module, { ...__wbg_get_imports(), ${FIRST}: wasm }).exports;
}
`;
}

/** Its declaration. */
export const attachType = "export function attach(module: WebAssembly.Module): void;\n";
