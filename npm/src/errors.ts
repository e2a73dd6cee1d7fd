/**
 * What went wrong, for programs. The same words appear as `AgentError.code` and as `diagnostics[0].code` of an
 * assistant message.
 */
export type AgentErrorCode =
  | "aborted"
  | "network"
  | "http"
  | "auth"
  | "rate_limited"
  | "overloaded"
  | "context_overflow"
  | "refused"
  | "protocol"
  | "stream_truncated"
  | "stream_idle"
  | "tool_timeout"
  | "limit_turns"
  | "limit_tool_calls"
  | "limit_tokens"
  | "limit_cost"
  | "invalid_request"
  | "unsupported"
  | `storage_${string}`
  | "busy"
  | "wasm_blocked_by_csp"
  | "wasm_load_failed"
  | "engine_crash"
  | "internal";

/**
 * An error of this package. Promises reject with it only for misuse and when the engine cannot be loaded; whatever goes
 * wrong during a run ends up in a message.
 */
export class AgentError extends Error {
  override name = "AgentError";
  readonly code: AgentErrorCode;

  /** @param options `cause`: the original value, whatever it was */
  constructor(code: AgentErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A run is in progress and the call would disturb it. Code `busy`. */
export class AgentBusyError extends AgentError {
  override name = "AgentBusyError";

  constructor(message: string) {
    super("busy", message);
  }
}

/** The wasm engine could not be loaded. The next call tries again. */
export class EngineLoadError extends AgentError {
  override name = "EngineLoadError";

  constructor(
    code: "wasm_load_failed" | "wasm_blocked_by_csp",
    message: string,
    options?: { cause?: unknown },
  ) {
    super(code, message, options);
  }
}

/**
 * The wasm engine broke down and all runs in progress were ended. Code `engine_crash`. A new engine is started by the
 * next call; transcripts and queues are not affected.
 */
export class EngineCrashError extends AgentError {
  override name = "EngineCrashError";

  constructor(message: string, options?: { cause?: unknown }) {
    super("engine_crash", message, options);
  }
}

/** Texts that applications written for pi compare with: they may not change. */
export const TEXT = {
  busyPrompt:
    "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
  busyContinue: "Agent is already processing. Wait for completion before continuing.",
  busyReset: "Agent is already processing. Wait for completion before resetting.",
  nothingToContinue: "No messages to continue from",
  emptyContext: "Cannot continue: no messages in context",
  assistantLast: "Cannot continue from message role: assistant",
  noStreamFn: "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().",
  outsideRun: "Agent listener invoked outside active run",
} as const;

/** `instanceof` for thrown values, which may be proxies that throw themselves. */
export function isThrown<T extends Error>(
  thrown: unknown,
  kind: abstract new (...args: never[]) => T,
): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}
