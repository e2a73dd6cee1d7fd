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
  protected lifecycle(event: AgentEvent): Promise<unknown> {
    return Promise.resolve(this.emit(event));
  }

  agentStart(): Promise<unknown> {
    return this.lifecycle({ type: "agent_start" });
  }
  turnStart(): Promise<unknown> {
    return this.lifecycle({ type: "turn_start" });
  }
  messageStart(message: AgentMessage): Promise<unknown> {
    return this.lifecycle({ type: "message_start", message });
  }
  messageEnd(message: AgentMessage): Promise<unknown> {
    return this.lifecycle({ type: "message_end", message });
  }
  toolStart(call: AgentToolCall): Promise<unknown> {
    return this.lifecycle({
      type: "tool_execution_start",
      toolCallId: call.id,
      toolName: call.name,
      args: call.arguments,
    });
  }
  toolEnd(
    call: AgentToolCall,
    result: AgentToolResult,
    isError: boolean,
    durationMs: number | undefined,
  ): Promise<unknown> {
    return this.lifecycle({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      result,
      isError,
      ...(durationMs === undefined ? {} : { durationMs }),
    });
  }
  turnEnd(message: AgentMessage, toolResults: ToolResultMessage[]): Promise<unknown> {
    return this.lifecycle({ type: "turn_end", message, toolResults });
  }
}
