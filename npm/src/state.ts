import { roleOf } from "./answers.js";
import { toToolDeclaration } from "./declarations.js";
import type { Profile } from "./profile.js";
import { createInitialSystemMessage, getCurrentSystemPrompt } from "./transcript.js";
import type {
  AgentEvent,
  AgentInitialState,
  AgentMessage,
  AgentTool,
  CustomMessage,
  Model,
  ThinkingLevel,
} from "./types.js";

/** The state as the agent itself sees it: nothing is read-only. */
export interface MutableState<TCustom extends CustomMessage> {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  get tools(): AgentTool[];
  set tools(tools: readonly AgentTool[]);
  get messages(): AgentMessage<TCustom>[];
  set messages(messages: readonly AgentMessage<TCustom>[]);
  isStreaming: boolean;
  streamingMessage: AgentMessage<TCustom> | undefined;
  pendingToolCalls: ReadonlySet<string>;
  errorMessage: string | undefined;
}

/**
 * Adds and removes pending calls of a state. A set that was read never changes, so the next one is made when somebody
 * reads it: a copy per call would be quadratic in the calls of an answer.
 */
const pendingCalls = new WeakMap<object, (id: string, pending: boolean) => void>();

/** Stands in until the application chooses a model; requests with it fail. */
function unknownModel(): Model {
  return {
    id: "unknown",
    name: "unknown",
    api: "unknown",
    provider: "unknown",
    baseUrl: "",
    reasoning: false,
    input: [],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: 0,
  };
}

/** A plain object with enumerable accessors, so that it can be spread, listed and shown like any other. */
export function createState<TCustom extends CustomMessage>(
  initial: AgentInitialState<TCustom> | undefined,
  profile: Profile,
): MutableState<TCustom> {
  let tools: AgentTool[] = initial?.tools?.slice() ?? [];
  let messages: AgentMessage<TCustom>[] = initial?.messages?.slice() ?? [];
  if (profile.systemMessages && roleOf(messages[0]) !== "system") {
    const first = createInitialSystemMessage(initial?.systemPrompt, tools.map(toToolDeclaration));
    if (first) messages.unshift(first);
  }
  let pending = new Set<string>();
  let shown: ReadonlySet<string> | undefined;
  const state: MutableState<TCustom> = {
    systemPrompt: initial?.systemPrompt ?? "",
    model: initial?.model ?? unknownModel(),
    thinkingLevel: initial?.thinkingLevel ?? "off",
    get tools(): AgentTool[] {
      return tools;
    },
    set tools(next: readonly AgentTool[]) {
      tools = next.slice();
    },
    get messages(): AgentMessage<TCustom>[] {
      return messages;
    },
    set messages(next: readonly AgentMessage<TCustom>[]) {
      messages = next.slice();
    },
    isStreaming: false,
    streamingMessage: undefined,
    get pendingToolCalls(): ReadonlySet<string> {
      shown ??= new Set(pending);
      return shown;
    },
    set pendingToolCalls(next: ReadonlySet<string>) {
      pending = new Set(next);
      shown = undefined;
    },
    errorMessage: undefined,
  };
  pendingCalls.set(state, (id, starts) => {
    if (starts) pending.add(id);
    else pending.delete(id);
    shown = undefined;
  });
  if (!profile.systemPromptAssignable) {
    Object.defineProperty(state, "systemPrompt", {
      get: () => getCurrentSystemPrompt(messages),
      enumerable: true,
      configurable: true,
    });
  }
  return state;
}

/** Brings the state up to date with an event, before the listeners get it. */
export function reduce<TCustom extends CustomMessage>(
  state: MutableState<TCustom>,
  event: AgentEvent<TCustom>,
): void {
  switch (event.type) {
    case "message_update":
    case "message_start":
      state.streamingMessage = event.message;
      break;
    case "message_end":
      state.streamingMessage = undefined;
      state.messages.push(event.message);
      break;
    case "tool_execution_start":
    case "tool_execution_end":
      pendingCalls.get(state)?.(event.toolCallId, event.type === "tool_execution_start");
      break;
    case "turn_end":
      if (
        event.message.role === "assistant" &&
        "errorMessage" in event.message &&
        event.message.errorMessage
      ) {
        state.errorMessage = event.message.errorMessage;
      }
      break;
    case "agent_end":
      state.streamingMessage = undefined;
      break;
  }
}
