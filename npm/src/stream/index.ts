/** Requests and responses of the built-in wires: the transport around the wasm engine. */
export type { EngineSource, InFlight, WireBatch, WireEngine, WireRequest } from "./engine.js";
export { WireRefusal } from "./engine.js";
export { type EventSink, isPumped, PUMP, type PumpedStream } from "./pump.js";
export { createStreamSimple, type StreamSimple } from "./simple.js";
export { type Verdicts, wasmVerdicts } from "./verdict.js";
export { type Guard, wasmEngine, type WireExports } from "./wasm.js";
