import type { Hook, Loose, MaybePromise } from "./json.js";
import type { AgentMessage, CustomMessage, ToolResultMessage } from "./messages.js";
import type { AssistantMessageEvent, RequestRetryEvent } from "./stream.js";

/**
 * What happens in a run, in order. `agent_end` is the last event of a run; the agent is idle once all listeners of it
 * have finished.
 */
export type AgentEvent<TCustom extends CustomMessage = never> =
  | { type: "agent_start" }
  /** `messages`: what the run added to the transcript. */
  | { type: "agent_end"; messages: AgentMessage<TCustom>[] }
  /** A turn is one model request with the tool calls it leads to. */
  | { type: "turn_start" }
  | { type: "turn_end"; message: AgentMessage<TCustom>; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: AgentMessage<TCustom> }
  /** Assistant messages only. `message` is a shallow copy; `assistantMessageEvent.partial` is the live object. */
  | {
      type: "message_update";
      message: AgentMessage<TCustom>;
      assistantMessageEvent: AssistantMessageEvent;
    }
  /** `message` is now part of the transcript. */
  | { type: "message_end"; message: AgentMessage<TCustom> }
  /** `args`: the object that the model sent, before validation. */
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: Loose }
  /** `partialResult`: an `AgentToolResult`. */
  | {
      type: "tool_execution_update";
      toolCallId: string;
      toolName: string;
      args: Loose;
      partialResult: Loose;
    }
  /**
   * In order of completion. `result`: an `AgentToolResult`. `durationMs`: how long `execute` took; missing when the
   * tool did not run.
   */
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      result: Loose;
      isError: boolean;
      durationMs?: number;
    };

/** For listeners that want to know of repetitions: they annotate their parameter with it. */
export type AgentEventWithRetries<TCustom extends CustomMessage = never> =
  | AgentEvent<TCustom>
  | RequestRetryEvent;

/**
 * A listener of an agent. Listeners are called in the order of subscription and each is awaited before the next; the
 * run waits for them. What a listener throws ends the run with an error.
 *
 * @param signal the abort signal of the run
 */
export type AgentListener<TCustom extends CustomMessage = never> = Hook<
  (event: AgentEvent<TCustom>, signal: AbortSignal) => MaybePromise<void>
>;

/** Receives the events of a low-level run. A returned promise is awaited. */
export type AgentEventSink<TCustom extends CustomMessage = never> = Hook<
  (event: AgentEvent<TCustom>) => MaybePromise<void>
>;
