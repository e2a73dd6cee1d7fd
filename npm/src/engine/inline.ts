/** The module as text of the JavaScript itself: no asset to lose in a bundler, webview or extension. */
import { wasmBytes, wasmText } from "../../pkg/inline.js";
import type { Loader } from "./load.js";

/** Decodes the module when it is first needed. */
export const inlineLoader: Loader = { kind: "sync", bytes: () => decode(wasmText, wasmBytes) };

/** One character is one byte; which one says the alphabet, in the order of code points (scripts/inline.mjs). */
function decode(text: string, alphabet: string): Uint8Array<ArrayBuffer> {
  const byteOf = new Uint8Array(512);
  let code = 0x20;
  for (let at = 0; at < alphabet.length; at += 2, code++) {
    while (isLeftOut(code)) code++;
    byteOf[code] = Number.parseInt(alphabet.slice(at, at + 2), 16);
  }
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = byteOf[text.charCodeAt(i)] as number;
  return bytes;
}

function isLeftOut(code: number): boolean {
  return (
    (code > 0x7e && code < 0xa1) ||
    code === 0xad ||
    (code < 0x7f && '"\\<`$'.includes(String.fromCharCode(code)))
  );
}
