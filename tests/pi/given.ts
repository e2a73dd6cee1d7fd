// What code written for pi-agent-core hands over is accepted here. Compiled by scripts/checks/pi.mjs, never run.
import type * as pi from "@earendil-works/pi-agent-core";
import type * as ai from "@earendil-works/pi-ai";
import type { num, obj, opt, str } from "@earendil-works/pi-schema";
import type * as ours from "steersman";

declare function accepts<To>(value: To): void;
declare function some<T>(): T;

// The words.
accepts<ours.ThinkingLevel>(some<pi.ThinkingLevel>());
accepts<ours.QueueMode>(some<pi.QueueMode>());
accepts<ours.ToolExecutionMode>(some<pi.ToolExecutionMode>());

// Messages and what they are made of: transcripts that were stored, or made with pi's helpers.
accepts<ours.AgentMessage>(some<pi.AgentMessage>());
accepts<ours.CustomAgentMessages>(some<pi.CustomAgentMessages>());
accepts<ours.Message>(some<ai.Message>());
accepts<ours.SystemMessage>(some<ai.SystemMessage>());
accepts<ours.AssistantMessage>(some<ai.AssistantMessage>());
accepts<ours.ToolResultMessage>(some<ai.ToolResultMessage>());
accepts<ours.Usage>(some<ai.Usage>());
accepts<ours.AgentToolCall>(some<pi.AgentToolCall>());
accepts<ours.AgentContext>(some<pi.AgentContext>());

// Models, requests, streams.
accepts<ours.Model>(some<ai.Model<ai.Api>>());
// biome-ignore lint/suspicious/noExplicitAny: this is how pi writes "a model"
accepts<ours.Model>(some<ai.Model<any>>());
accepts<ours.ClientIdentity>(some<ai.ClientIdentity>());
accepts<typeof ours.DEFAULT_AGENT_IDENTITY>(some<typeof pi.DEFAULT_AGENT_IDENTITY>());
accepts<ours.SimpleStreamOptions>(some<ai.SimpleStreamOptions>());
accepts<ours.ProxyStreamOptions>(some<pi.ProxyStreamOptions>());
accepts<ours.ProxyAssistantMessageEvent>(some<pi.ProxyAssistantMessageEvent>());
accepts<ours.AssistantMessageEvent>(some<ai.AssistantMessageEvent>());
accepts<ours.StreamFn>(some<pi.StreamFn>());
accepts<ours.StreamFn>(some<ai.Models["streamSimple"]>());
accepts<Parameters<typeof ours.setDefaultStreamFn>>(some<Parameters<typeof pi.setDefaultStreamFn>>());

// Agents, runs and their hooks.
accepts<ours.AgentOptions>(some<pi.AgentOptions>());
accepts<ConstructorParameters<typeof ours.Agent>[0]>(some<ConstructorParameters<typeof pi.Agent>[0]>());
accepts<ours.AgentInitialState>(some<pi.AgentInitialState>());
accepts<ours.AgentLoopConfig>(some<pi.AgentLoopConfig>());
accepts<ours.AgentEventSink>(some<pi.AgentEventSink>());
accepts<ours.AgentListener>(some<Parameters<pi.Agent["subscribe"]>[0]>());
accepts<ours.FinishTurn>(some<pi.FinishTurn>());
accepts<ours.AgentTurnDecision>(some<pi.AgentTurnDecision>());
accepts<ours.PrepareRequest>(some<pi.PrepareRequest>());
accepts<ours.AgentRequestUpdate>(some<pi.AgentRequestUpdate>());
accepts<ours.AgentLoopTurnUpdate>(some<pi.AgentLoopTurnUpdate>());
accepts<ours.BeforeToolCallResult>(some<pi.BeforeToolCallResult>());
accepts<ours.AfterToolCallResult>(some<pi.AfterToolCallResult>());

/** What may be assigned to an agent. */
type Settings = Required<
  Pick<
    pi.Agent,
    | ("transformContext" | "beforeToolCall" | "afterToolCall" | "finishTurn" | "prepareRequest")
    | ("prepareNextTurn" | "prepareNextTurnWithContext" | "convertToLlm" | "getApiKey" | "streamFunction")
    | ("onPayload" | "onResponse" | "onProviderStreamEvent" | "steeringMode" | "followUpMode")
    | ("sessionId" | "thinkingBudgets" | "transport" | "maxRetryDelayMs" | "toolExecution" | "identity")
  >
>;
accepts<Pick<ours.Agent, keyof Settings>>(some<Settings>());
accepts<ours.AgentState["messages"]>(some<pi.AgentState["messages"]>());
accepts<ours.AgentState["tools"]>(some<pi.AgentState["tools"]>());

// Tools.
accepts<ours.AgentTool>(some<pi.AgentTool>());
// biome-ignore lint/suspicious/noExplicitAny: this is how pi writes "a tool"
accepts<ours.AgentTool>(some<pi.AgentTool<any>>());
accepts<ours.AgentToolResult>(some<pi.AgentToolResult>());
accepts<ours.AgentToolCallOutcome>(some<pi.AgentToolCallOutcome>());
accepts<ours.AgentToolUpdateCallback>(some<pi.AgentToolUpdateCallback>());
accepts<ours.ToolCallHooks>(some<pi.ToolCallHooks>());
accepts<ours.RunToolCallOptions>(some<pi.RunToolCallOptions>());

// The arguments of a tool follow from pi's own schema builders.
type Path = ReturnType<
  typeof obj<{ path: ReturnType<typeof str>; limit: ReturnType<typeof opt<ReturnType<typeof num>>> }>
>;
accepts<ours.AgentToolParams<Path>>(some<pi.AgentToolParams<Path>>());
accepts<pi.AgentToolParams<Path>>(some<ours.AgentToolParams<Path>>());
accepts<{ path: string; limit?: number }>(some<ours.AgentToolParams<Path>>());
accepts<ours.AgentTool<Path>>(some<pi.AgentTool<Path>>());
accepts<ours.AgentTool[]>([some<pi.AgentTool<Path>>(), some<pi.AgentTool<Path, string>>()]);
// biome-ignore lint/suspicious/noExplicitAny: `AgentTool<any>` has arguments of type `any`
accepts<{ anything: 1 }>(some<ours.AgentToolParams<any>>());
