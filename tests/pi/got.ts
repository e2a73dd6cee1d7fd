// What code written for pi-agent-core gets from here is what it knows. Compiled by scripts/checks/pi.mjs, never run.
import type * as pi from "@earendil-works/pi-agent-core";
import type * as ai from "@earendil-works/pi-ai";
import type * as ours from "steersman";

declare function accepts<To>(value: To): void;
declare function some<T>(): T;

accepts<pi.ThinkingLevel>(some<ours.ThinkingLevel>());
accepts<pi.QueueMode>(some<ours.QueueMode>());
accepts<pi.ToolExecutionMode>(some<ours.ToolExecutionMode>());

// Messages and events: they are stored, shown, and given to pi's own helpers.
accepts<pi.AgentMessage>(some<ours.AgentMessage>());
accepts<pi.CustomAgentMessages>(some<ours.CustomAgentMessages>());
accepts<ai.Message>(some<ours.Message>());
accepts<ai.SystemMessage>(some<ours.SystemMessage>());
accepts<ai.AssistantMessage>(some<ours.AssistantMessage>());
accepts<ai.ToolResultMessage>(some<ours.ToolResultMessage>());
accepts<ai.Usage>(some<ours.Usage>());
accepts<pi.AgentToolCall>(some<ours.AgentToolCall>());
accepts<pi.AgentToolResult>(some<ours.AgentToolResult>());
accepts<pi.AgentToolCallOutcome>(some<ours.AgentToolCallOutcome>());
accepts<pi.AgentEvent>(some<ours.AgentEvent>());
accepts<ai.AssistantMessageEvent>(some<ours.AssistantMessageEvent>());
accepts<pi.ProxyAssistantMessageEvent>(some<ours.ProxyAssistantMessageEvent>());
accepts<ai.Model<ai.Api>>(some<ours.Model>());

// What hooks, tools and listeners are called with.
accepts<pi.AgentState>(some<ours.AgentState>());
accepts<pi.AgentInitialState>(some<Pick<ours.AgentState, keyof pi.AgentInitialState>>());
accepts<pi.AgentContext>(some<ours.AgentContext>());
accepts<pi.AgentTool>(some<ours.AgentTool>());
accepts<pi.AgentTurnContext>(some<ours.AgentTurnContext>());
accepts<pi.PrepareNextTurnContext>(some<ours.PrepareNextTurnContext>());
accepts<pi.PrepareRequestContext>(some<ours.PrepareRequestContext>());
accepts<pi.BeforeToolCallContext>(some<ours.BeforeToolCallContext>());
accepts<pi.AfterToolCallContext>(some<ours.AfterToolCallContext>());
accepts<pi.AgentToolUpdateCallback>(some<ours.AgentToolUpdateCallback>());

// The class, by what can be called and read (private members make classes incomparable), without the hooks: those of ours
// may be synchronous, so whoever reads one back must not rely on a promise. An attribution of ours may have no address.
type Written =
  | ("transformContext" | "beforeToolCall" | "afterToolCall" | "finishTurn" | "prepareRequest")
  | ("prepareNextTurn" | "prepareNextTurnWithContext" | "convertToLlm" | "getApiKey" | "streamFunction")
  | ("onPayload" | "onResponse" | "onProviderStreamEvent" | "identity");
accepts<Omit<pi.Agent, Written>>(some<ours.Agent>());

// The functions; streams by what one does with them.
type Streaming<F extends (...args: never[]) => AsyncIterable<unknown> & { result(): unknown }> = (
  ...args: Parameters<F>
) => Pick<ReturnType<F>, "result" | typeof Symbol.asyncIterator>;
accepts<Streaming<typeof pi.agentLoop>>(some<typeof ours.agentLoop>());
accepts<Streaming<typeof pi.agentLoopContinue>>(some<typeof ours.agentLoopContinue>());
accepts<Streaming<typeof pi.streamProxy>>(some<typeof ours.streamProxy>());
accepts<typeof pi.runAgentLoop>(some<typeof ours.runAgentLoop>());
accepts<typeof pi.runAgentLoopContinue>(some<typeof ours.runAgentLoopContinue>());
accepts<typeof pi.runToolCall>(some<typeof ours.runToolCall>());
