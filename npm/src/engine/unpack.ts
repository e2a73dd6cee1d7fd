/** Modules as text of the JavaScript itself: no asset to lose in a bundler, webview or extension. */
import { decoder } from "../../pkg/decoder.js";

/** A module that the build took apart for the compressor (scripts/streams.mjs). */
export interface Packed {
  readonly text: string;
  /** Where its streams and the module lie in the decoder's memory; how many functions it has and imports. */
  readonly places: readonly number[];
  /** Bytes of the module. */
  readonly length: number;
}

/** Puts a module together; a small module does it. */
export function unpack({ text, places, length }: Packed): Uint8Array<ArrayBuffer> {
  // A classic script has the encoding of its page, where its server names none.
  if (decoder.charCodeAt(0) !== 256)
    throw new Error('the script was not read as UTF-8. Begin the page with <meta charset="utf-8">');
  const module = new WebAssembly.Module(Uint8Array.from(decoder, (character) => character.charCodeAt(0)));
  const { memory, join } = new WebAssembly.Instance(module).exports as unknown as {
    memory: { buffer: ArrayBuffer };
    join: () => void;
  };
  new Int32Array(memory.buffer).set(places);
  new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, places[0]));
  join();
  return new Uint8Array(memory.buffer, places.at(-3), length);
}
