/** The module as text of the JavaScript itself: no asset to lose in a bundler, webview or extension. */
import { wasmBytes, wasmText } from "../../pkg/inline.js";
import type { Loader } from "./load.js";

/** Decodes the module when it is first needed. */
export const inlineLoader: Loader = { kind: "sync", bytes: () => decode(wasmText, wasmBytes) };

/**
 * One character is one byte (scripts/inline.mjs). `alphabet` says which one for the first characters, in the order of
 * code points; the others stand for the bytes that it leaves, in their order.
 */
function decode(text: string, alphabet: string): Uint8Array<ArrayBuffer> {
  const order = new Set<number>();
  for (let at = 0; at < alphabet.length; at += 2) order.add(Number.parseInt(alphabet.slice(at, at + 2), 16));
  for (let byte = 0; byte < 256; byte++) order.add(byte);
  const byteOf = new Uint8Array(512);
  let code = 0x20;
  for (const byte of order) {
    while (/["\\<`$\x7f-\xa0\xad]/.test(String.fromCharCode(code))) code++;
    byteOf[code++] = byte;
  }
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = byteOf[text.charCodeAt(i)] as number;
  return bytes;
}
