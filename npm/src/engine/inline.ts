/** The module that the JavaScript brings along. */
import { packed } from "../../pkg/inline.js";
import type { Loader } from "./load.js";
import { unpack } from "./unpack.js";

/** Puts the module together when it is first needed. */
export const inlineLoader: Loader = { kind: "sync", bytes: () => unpack(packed) };
