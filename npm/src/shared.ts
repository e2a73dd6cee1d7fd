// What all profiles share. `export *` of the types matters: see types/index.ts.
export type { LoopApi } from "./agent-loop.js";
export { getDefaultStreamFn, setDefaultStreamFn } from "./default-stream.js";
export { init } from "./engine/warm.js";
export {
  AgentBusyError,
  AgentError,
  type AgentErrorCode,
  EngineCrashError,
  EngineLoadError,
} from "./errors.js";
export {
  AssistantMessageEventStream,
  createAssistantMessageEventStream,
  EventStream,
} from "./event-stream.js";
export { DEFAULT_AGENT_IDENTITY } from "./identity.js";
export type { OneInput, PromptInput, PromptOptions } from "./input.js";
export {
  isContextOverflow,
  isRetryable,
  type ProxyAssistantMessageEvent,
  type ProxyStreamOptions,
  streamProxy,
  streamSimple,
} from "./stream/index.js";
export { type ToolDefinition, tool } from "./tool.js";
export { getCurrentSystemMessage, getCurrentSystemPrompt, getCurrentTools } from "./transcript.js";
export * from "./types.js";
