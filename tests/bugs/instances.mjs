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

/** Bytes of the newest instance; they never become fewer. The build shortens names, so the memory is told by its kind. */
export const moduleBytes = () =>
  Object.values(instances.at(-1).exports).find((exported) => exported instanceof WebAssembly.Memory).buffer
    .byteLength;

setFlagsFromString("--expose-gc");

/** Forgets what nobody can reach. */
export const collect = runInNewContext("gc");
