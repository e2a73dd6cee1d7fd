/**
 * `steersman`: the module is part of the JavaScript, so there is no file to lose. It is decoded and instantiated inside
 * the first call that needs it.
 */
import { inlineLoader } from "../engine/inline.js";
import { setLoader } from "../engine/load.js";

setLoader(inlineLoader);

export * from "../index.js";
