import { AgentError, TEXT } from "./errors.js";
import type { StreamFn } from "./types.js";

let current: StreamFn | undefined;

/**
 * Sets the stream function of agents and low-level runs that are given none; undefined takes it away. It is global to
 * the page: prefer the option `streamFn`.
 */
export function setDefaultStreamFn(streamFn: StreamFn | undefined): void {
  current = streamFn;
}

/** @throws AgentError `invalid_request` when none is set */
export function getDefaultStreamFn(): StreamFn {
  if (!current) throw new AgentError("invalid_request", TEXT.noStreamFn);
  return current;
}
