// A frame without an origin: the browser keeps nothing for it.
import * as steersman from "steersman";
import { openStore } from "steersman/session";
import { use } from "./app.mjs";

const told = [];
const opening = openStore({ id: "frame", onFallback: ({ code, message }) => told.push(code, message) });
globalThis.result = Promise.all([use(steersman), opening, told]);
