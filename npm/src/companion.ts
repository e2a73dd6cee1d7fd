/** What goes along with the runs of an agent: a session. */
import type { AgentEvent, AgentLoopConfig, CustomMessage } from "./types.js";

/** Told of everything that a run does. Only `admit` may throw. */
export interface Companion {
  /** A run is to begin, and counts as in progress. What it rejects with is what `prompt()` rejects with. */
  admit(signal: AbortSignal): Promise<void>;
  /**
   * Changes what a loop of the run is started with.
   *
   * @param everyRequest whether `prepareRequest` is called
   */
  configure(config: AgentLoopConfig, everyRequest: boolean): void;
  /** Each event, when the state knows of it and before the listeners do. */
  observe(event: AgentEvent): void;
  /** A loop has ended. `true`: another one goes on from the transcript as it is now. */
  ended(signal: AbortSignal): Promise<boolean>;
  /** The run is over, but for what this still has to do. */
  settle(): Promise<void>;
  /** The agent is idle. */
  idle(): void;
}

/** An agent that somebody goes along with. */
export interface Accompanied {
  /** @internal A function: the proxies of reactive frameworks leave it, and what it gives, as it is. */
  _companion: (() => Companion) | undefined;
}

/** The place for a companion in an agent, which is nobody else's business. */
export const accompanied = (agent: object): Accompanied => agent as Accompanied;

/** For agents whose messages the companion does not tell apart. */
export const plain = <TCustom extends CustomMessage>(config: AgentLoopConfig<TCustom>): AgentLoopConfig =>
  config as unknown as AgentLoopConfig;
