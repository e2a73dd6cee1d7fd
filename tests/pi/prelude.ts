// What the code blocks of pi-agent-core's README take for granted: names that they use and do not declare.
import type {
  Agent,
  AgentMessage,
  AgentTool,
  AgentTurnContext,
  StreamFn,
} from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Model, Models, ToolResultMessage } from "@earendil-works/pi-ai";

declare global {
  const agent: Agent;
  const models: Models;
  const model: Model<Api>;
  const streamFn: StreamFn;
  const getModel: (provider: string, id: string) => Model<Api>;
  const myTool: AgentTool;
  const message: AgentMessage;
  const newMessages: AgentMessage[];
  const base64Data: string;
  const session: { loadModelContext(): Promise<AgentMessage[]> };
  const loadCanonicalMessages: (signal?: AbortSignal) => Promise<AgentMessage[]>;
  const pruneOldMessages: (messages: AgentMessage[]) => AgentMessage[];
  const refreshToken: () => Promise<string>;
  const flushSessionState: (signal?: AbortSignal) => Promise<void>;
  const shouldStop: (turn: AgentTurnContext, signal?: AbortSignal) => Promise<boolean>;
  const shouldEndRun: (message: AssistantMessage) => boolean;
  const needsAnotherResponse: (message: AssistantMessage) => boolean;
  const shouldContinue: (message: AssistantMessage, results: ToolResultMessage[]) => boolean;
  const fs: { existsSync(path: string): boolean; readFile(path: string, encoding: string): Promise<string> };
  /** Stands where the README has a type in the place of a value. */
  function some<T>(): T;
}
