/**
 * `steersman`: the module is part of the JavaScript, so there is no file to lose. It is decoded and instantiated inside
 * the first call that needs it.
 */
import { decodeBase64 } from "../base64.js";
import { setLoader } from "../engine/load.js";
import { wasmBase64 } from "../../pkg/inline.js";

setLoader({ kind: "sync", bytes: () => decodeBase64(wasmBase64) });

export * from "../index.js";
