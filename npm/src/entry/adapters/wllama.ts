/** `steersman/adapters/wllama`: a stream function of a model that llama.cpp runs inside the page. Loads no other wasm. */
export * from "../../adapters/chat.js";
export { fromWllama, type WllamaChunk, type WllamaLike, type WllamaOptions } from "../../adapters/wllama.js";
