import * as engine from "./engine/index.js";
import type { Limiter } from "./limits/limiter.js";
import type { Profile } from "./profile.js";
import type {
  AgentContext,
  AgentEventSink,
  AgentLoopConfig,
  AgentMessage,
  CustomMessage,
  StreamFn,
} from "./types.js";

/** One run of the loop. */
export interface Run<TCustom extends CustomMessage> {
  kind: "prompt" | "continue";
  prompts: readonly AgentMessage<TCustom>[];
  context: AgentContext<TCustom>;
  config: AgentLoopConfig<TCustom>;
  emit: AgentEventSink<TCustom>;
  signal: AbortSignal | undefined;
  /** Undefined: the default, looked up when the first request is made. */
  streamFn: StreamFn | undefined;
  profile: Profile;
  /** A low-level context's own prompt, sent with each request where the profile keeps prompts in messages. */
  systemPrompt?: string | undefined;
  /** Where several loops are one run. Missing: the limits in `config`, for this loop alone. */
  limiter?: Limiter | undefined;
}

/**
 * Starts a run; the engine must be loaded. `agent_start` is emitted before this returns.
 *
 * @returns the new messages, one array that grows while the run goes on; rejects with whatever a callback threw
 */
export function start<TCustom extends CustomMessage>(run: Run<TCustom>): Promise<AgentMessage<TCustom>[]> {
  // The engine moves messages and never looks at those of the application, so it has no type parameter for them.
  return engine.startRun(run as unknown as engine.RunInput) as Promise<AgentMessage<TCustom>[]>;
}

/**
 * Calls `work` once the engine is loaded: at once if it is, so that nothing of a run is put off.
 *
 * @returns what `work` returns; rejects with an `EngineLoadError` when the engine cannot be loaded
 */
export async function withEngine<T>(work: () => Promise<T>): Promise<T> {
  const loading = engine.ready();
  if (loading) await loading;
  return work();
}
