/** The module as text of the JavaScript itself: no asset to lose in a bundler, webview or extension. */
import { decoder, length, places, text } from "../../pkg/inline.js";
import type { Loader } from "./load.js";

/** Puts the module together when it is first needed. */
export const inlineLoader: Loader = { kind: "sync", bytes };

/** The build took the module apart for the compressor (scripts/streams.mjs); a small module undoes that. */
function bytes(): Uint8Array<ArrayBuffer> {
  const module = new WebAssembly.Module(Uint8Array.from(decoder, (character) => character.charCodeAt(0)));
  const { memory, join } = new WebAssembly.Instance(module).exports as unknown as {
    memory: { buffer: ArrayBuffer };
    join: () => void;
  };
  new Int32Array(memory.buffer).set(places);
  new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, places[0]));
  join();
  return new Uint8Array(memory.buffer, places.at(-1), length);
}
