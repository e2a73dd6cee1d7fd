import { "1.6.0" as current, "0.85.1" as old } from "../../profiles.json";

/**
 * Where the two versions behave differently, and the only place that says so: the values are in `profiles.json`, and
 * the engine is told those that concern it.
 */
export interface Profile {
  /** System messages in the transcript carry prompt and tools; a request has messages only. */
  readonly systemMessages: boolean;
  /** `state.systemPrompt` can be assigned. */
  readonly systemPromptAssignable: boolean;
  /** `reset()` keeps prompt and tools as one system message. */
  readonly resetKeepsBaseline: boolean;
  /** The hook `finishTurn` is called. */
  readonly finishTurn: boolean;
  /** The hook `prepareRequest` is called. */
  readonly prepareRequest: boolean;
  /** `prepareNextTurn` may return messages. */
  readonly nextTurnMessages: boolean;
  /** Stream functions get the option `identity`. */
  readonly identity: boolean;
  /** An assistant message records the thinking level that was asked for. */
  readonly recordThinkingLevel: boolean;
  /** Tool results record how long the tool ran. */
  readonly durationMs: boolean;
  /**
   * After an abort every remaining call of a batch gets events and an aborted result, before its tool is looked up;
   * otherwise the rest of the batch is dropped.
   */
  readonly recordEveryAbortedCall: boolean;
  /** `isError` in what a tool returns is honoured. */
  readonly honourIsError: boolean;
  /** `structuredContent` is dropped when an after hook replaces `content` alone. */
  readonly dropStaleStructuredContent: boolean;
  /** `addedToolNames` of a result is copied to the message. */
  readonly addedToolNames: boolean;
  /** A call with `argumentsError` is refused. */
  readonly argumentsError: boolean;
  /** Which rules turn a value into the type that the schema asks for, and which paths the error texts name. */
  readonly coercion: "1.6" | "0.85";
}

// JSON imports widen the literals. `shouldStopAfterTurn` and a low-level `systemPrompt` work in both.

/** The behaviour of pi-agent-core 1.6.0. */
export const CURRENT = current as Profile;

/** The behaviour of pi-agent-core 0.85.1. */
export const OLD = old as Profile;
