/** Requests and responses of the built-in wires: the transport around the wasm engine. */
export { isContextOverflow, isRetryable, streamProxy, streamSimple } from "../engine/wires.js";
export type { ProxyAssistantMessageEvent, ProxyStreamOptions } from "./proxy.js";
export { type EventSink, isPumped, PUMP, type PumpedStream } from "./pump.js";
