/** `steersman/external`: loads `steersman.wasm` beside this file inside the first call that needs it. */
import { setLoader } from "../engine/load.js";

setLoader({ kind: "async", source: () => new URL("./steersman.wasm", import.meta.url) });

export * from "../index.js";
