import { startToolCall } from "./engine/index.js";
import { AgentError, EngineLoadError, isThrown, TEXT } from "./errors.js";
import { EventStream } from "./event-stream.js";
import { failureEvents, failureMessage } from "./failure.js";
import { start, withEngine } from "./launch.js";
import type { Profile } from "./profile.js";
import type {
  AgentContext,
  AgentEvent,
  AgentEventSink,
  AgentLoopConfig,
  AgentMessage,
  AgentToolCall,
  AgentToolCallOutcome,
  CustomMessage,
  RunToolCallOptions,
  StreamFn,
} from "./types.js";

/** The loop without an `Agent` around it: no state, no queues, one run per call. */
export interface LoopApi {
  /**
   * Starts a run with new messages and returns its events. The stream does not wait for its reader.
   *
   * It always ends: when something throws, with the closing events of a failed run. `result()` gives the new messages,
   * which then include the message that tells of the failure. Only when the engine cannot be loaded do iteration and
   * `result()` reject.
   *
   * @param prompts added to a copy of the context's messages
   * @param streamFn answers the requests; undefined: what `setDefaultStreamFn()` has set
   */
  agentLoop<TCustom extends CustomMessage = never>(
    prompts: readonly AgentMessage<TCustom>[],
    context: AgentContext<TCustom>,
    config: AgentLoopConfig<TCustom>,
    signal?: AbortSignal,
    streamFn?: StreamFn,
  ): EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]>;

  /**
   * Like `agentLoop`, from the context as it is. Its `messages` array grows.
   *
   * @throws AgentError `invalid_request` when the context is empty or ends with an answer
   */
  agentLoopContinue<TCustom extends CustomMessage = never>(
    context: AgentContext<TCustom>,
    config: AgentLoopConfig<TCustom>,
    signal?: AbortSignal,
    streamFn?: StreamFn,
  ): EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]>;

  /**
   * Runs with new messages; every event is given to `emit`, and the run waits for it.
   *
   * @returns the new messages; rejects with whatever a callback threw
   */
  runAgentLoop<TCustom extends CustomMessage = never>(
    prompts: readonly AgentMessage<TCustom>[],
    context: AgentContext<TCustom>,
    config: AgentLoopConfig<TCustom>,
    emit: AgentEventSink<TCustom>,
    signal?: AbortSignal,
    streamFn?: StreamFn,
  ): Promise<AgentMessage<TCustom>[]>;

  /** Like `runAgentLoop`, from the context as it is. Its `messages` array grows. */
  runAgentLoopContinue<TCustom extends CustomMessage = never>(
    context: AgentContext<TCustom>,
    config: AgentLoopConfig<TCustom>,
    emit: AgentEventSink<TCustom>,
    signal?: AbortSignal,
    streamFn?: StreamFn,
  ): Promise<AgentMessage<TCustom>[]>;

  /**
   * Runs one tool call with all that belongs to it: repair and validation of the arguments, `beforeToolCall`, the tool,
   * `afterToolCall`. Emits no events and adds no messages. For tools that call other tools.
   *
   * @returns the outcome; failures of the call are outcomes too
   */
  runToolCall<TCustom extends CustomMessage = never>(
    toolCall: AgentToolCall,
    options: RunToolCallOptions<TCustom>,
  ): Promise<AgentToolCallOutcome>;
}

/** The loop functions with the behaviour of a profile. */
export function createLoopApi(profile: Profile): LoopApi {
  const api: LoopApi = {
    agentLoop: (prompts, context, config, signal, streamFn) =>
      asStream(config, signal, (emit) => api.runAgentLoop(prompts, context, config, emit, signal, streamFn)),

    agentLoopContinue(context, config, signal, streamFn) {
      assertCanContinue(context);
      return asStream(config, signal, (emit) =>
        api.runAgentLoopContinue(context, config, emit, signal, streamFn),
      );
    },

    runAgentLoop: (prompts, context, config, emit, signal, streamFn) =>
      withEngine(() => {
        const { systemPrompt } = context;
        return start({
          kind: "prompt",
          prompts,
          context,
          config,
          emit,
          signal,
          streamFn,
          profile,
          systemPrompt,
        });
      }),

    async runAgentLoopContinue(context, config, emit, signal, streamFn) {
      assertCanContinue(context);
      const { systemPrompt } = context;
      const prompts: never[] = [];
      return withEngine(() =>
        start({ kind: "continue", prompts, context, config, emit, signal, streamFn, profile, systemPrompt }),
      );
    },

    runToolCall: (toolCall, options) =>
      withEngine(() => startToolCall(toolCall, options as unknown as RunToolCallOptions, profile)),
  };
  return api;
}

function assertCanContinue<TCustom extends CustomMessage>(context: AgentContext<TCustom>): void {
  const last = context.messages.at(-1);
  if (last === undefined) throw new AgentError("invalid_request", TEXT.emptyContext);
  if (last.role === "assistant") throw new AgentError("invalid_request", TEXT.assistantLast);
}

function asStream<TCustom extends CustomMessage>(
  config: AgentLoopConfig<TCustom>,
  signal: AbortSignal | undefined,
  run: (emit: AgentEventSink<TCustom>) => Promise<AgentMessage<TCustom>[]>,
): EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]> {
  const stream = new EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]>(
    (event) => event.type === "agent_end",
    (event) => (event.type === "agent_end" ? event.messages : []),
  );
  const added: AgentMessage<TCustom>[] = [];
  run((event) => {
    if (event.type === "message_end") added.push(event.message);
    stream.push(event);
  }).then(
    (messages) => stream.end(messages),
    (thrown: unknown) => {
      if (isThrown(thrown, EngineLoadError)) return stream.fail(thrown);
      const aborted = ifReadable(() => signal?.aborted) === true;
      const message = failureMessage(
        ifReadable(() => config.model),
        thrown,
        aborted,
      );
      for (const event of failureEvents(message, [...added, message])) stream.push(event);
      stream.end();
    },
  );
  return stream;
}

/** Undefined where reading throws: configuration and signal are the caller's and may be what broke the run. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
