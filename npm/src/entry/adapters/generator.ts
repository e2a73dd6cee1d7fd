/** `steersman/adapters/generator`: a stream function of any (async) generator. Loads no wasm. */
export { fromGenerator, type Generate, type Piece } from "../../adapters/generator.js";
export { Reply, type Tokens } from "../../adapters/reply.js";
