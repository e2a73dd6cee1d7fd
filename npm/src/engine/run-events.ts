/** The events of a run, as the module asks for them. `agent_end` is in `run.ts`: it belongs to the end of the run. */
import type {
  AgentEvent,
  AgentMessage,
  AgentToolCall,
  AgentToolResult,
  ToolResultMessage,
} from "../types.js";

export class RunEvents {
  /** The instance is gone: nothing is delivered any more. */
  dead = false;
  private readonly send: (event: AgentEvent) => unknown;

  constructor(send: (event: AgentEvent) => unknown) {
    this.send = send;
  }

  /** Deliver one event; what comes back is `undefined` or something to wait for. */
  emit(event: AgentEvent): unknown {
    return this.dead ? undefined : this.send(event);
  }

  /** Deliver and give the loop at least one microtask, as recorded for every event but `message_update`. */
  protected _lifecycle(event: AgentEvent): Promise<unknown> {
    return Promise.resolve(this.emit(event));
  }

  _agentStart(): Promise<unknown> {
    return this._lifecycle({ type: "agent_start" });
  }
  _turnStart(): Promise<unknown> {
    return this._lifecycle({ type: "turn_start" });
  }
  _messageStart(message: AgentMessage): Promise<unknown> {
    return this._lifecycle({ type: "message_start", message });
  }
  _messageEnd(message: AgentMessage): Promise<unknown> {
    return this._lifecycle({ type: "message_end", message });
  }
  _toolStart(call: AgentToolCall): Promise<unknown> {
    return this._lifecycle({
      type: "tool_execution_start",
      toolCallId: call.id,
      toolName: call.name,
      args: call.arguments,
    });
  }
  _toolEnd(
    call: AgentToolCall,
    result: AgentToolResult,
    isError: boolean,
    durationMs: number | undefined,
  ): Promise<unknown> {
    return this._lifecycle({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      result,
      isError,
      ...(durationMs === undefined ? {} : { durationMs }),
    });
  }
  _turnEnd(message: AgentMessage, toolResults: ToolResultMessage[]): Promise<unknown> {
    return this._lifecycle({ type: "turn_end", message, toolResults });
  }
}
