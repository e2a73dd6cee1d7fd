/** What goes along with a run beside what the session itself does. */
import type { AgentEvent, AgentLoopConfig } from "../types.js";

/** What automatic compaction does in a run. */
export interface RunPart {
  /** Resolves when nothing is in progress that a run must not come between. */
  readonly done: Promise<void>;
  /** Before the first request of a run. */
  begin(signal: AbortSignal): Promise<void>;
  configure(config: AgentLoopConfig, everyRequest: boolean): void;
  observe(event: AgentEvent): void;
  ended(signal: AbortSignal): Promise<boolean>;
  idle(): void;
  abort(): void;
}
