// How much memory the module of the package has. To be imported before the package, whose instances it notes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const { Instance } = WebAssembly;
const instances = [];
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    instances.push(this);
  }
};

/** Bytes of the newest instance; they never become fewer. */
export const moduleBytes = () => instances.at(-1).exports.memory.buffer.byteLength;

setFlagsFromString("--expose-gc");

/** Forgets what nobody can reach. */
export const collect = runInNewContext("gc");
