// What an application writes. Compiled, never run.
import {
  Agent,
  AgentError,
  type AgentErrorCode,
  type AgentEvent,
  type AgentHooks,
  type AgentMessage,
  type AgentOptions,
  agentLoop,
  type Message,
  type StreamFn,
} from "steersman";
import { Agent as OldAgent } from "steersman/pi-0.85";

declare const streamFn: StreamFn;

// Events and content blocks are discriminated unions.
const agent = new Agent({ streamFn });
agent.subscribe((event, signal) => {
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
    const delta: string = event.assistantMessageEvent.delta;
    console.log(delta, signal.aborted);
  }
  if (event.type === "message_end" && event.message.role === "assistant") {
    for (const block of event.message.content) {
      if (block.type === "toolCall") console.log(block.arguments.anything, block.argumentsText);
      else console.log(block.type === "text" ? block.text : block.thinking);
    }
    const code: AgentErrorCode | undefined = event.message.diagnostics?.[0]?.code;
    console.log(code);
  }
  // @ts-expect-error no such event
  if (event.type === "message_stop") return;
});

/** A switch over all events is complete. */
export function name(event: AgentEvent): string {
  switch (event.type) {
    case "agent_start":
    case "agent_end":
    case "turn_start":
    case "turn_end":
    case "message_start":
    case "message_update":
    case "message_end":
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return event.type;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}

// Messages of the application by type parameter.
interface Notice {
  role: "notice";
  text: string;
}
const custom = new Agent<Notice>({
  streamFn,
  convertToLlm: (messages) =>
    messages.flatMap((message): Message[] =>
      message.role === "notice" || message.role === "artifact" ? [] : [message],
    ),
  transformContext: async (messages, signal) => (signal?.aborted ? messages : messages.slice(-10)),
});
custom.steer({ role: "notice", text: "saved" });
for (const message of custom.state.messages) if (message.role === "notice") console.log(message.text);
// @ts-expect-error this agent knows no notices
agent.steer({ role: "notice", text: "saved" });

// And by declaration merging.
declare module "steersman" {
  interface CustomAgentMessages {
    artifact: { role: "artifact"; html: string };
  }
}
const artifact: AgentMessage = { role: "artifact", html: "" };
agent.followUp(artifact);

// Hooks may be synchronous or not, and may return nothing.
const hooks: AgentHooks = {
  beforeToolCall: async ({ toolCall }) =>
    toolCall.name === "rm" ? { block: true, reason: "no" } : undefined,
  afterToolCall: ({ isError }) => (isError ? { terminate: true } : undefined),
  finishTurn: () => {},
  prepareRequest: async () => {},
  prepareNextTurn: async () => ({ thinkingLevel: "off", messages: [artifact] }),
  shouldStopAfterTurn: async (turn) => turn.toolResults.length > 3,
};
Object.assign(agent, hooks);
agent.finishTurn = async ({ message }) => (message.stopReason === "stop" ? { action: "end" } : undefined);
agent.beforeToolCall = undefined;
// An option may be given as undefined.
const options: AgentOptions = { streamFn, getApiKey: undefined, sessionId: undefined };
new Agent(options);

export async function use(): Promise<void> {
  const receipt = agent.send("hello");
  if ((await receipt.settled) === "dropped") return;
  for await (const event of agent.events()) if (event.type === "agent_end") break;
  const stream = agent.stream("hello");
  for await (const event of stream) console.log(name(event));
  const added: AgentMessage[] = await stream.result();
  const tokens: number | undefined = agent.usage.run.input;
  console.log(added.length, tokens);
  try {
    await agent.prompt("hello");
  } catch (error) {
    if (error instanceof AgentError && error.code === "busy") console.log(error.cause);
  }
  using disposable = agent;
  console.log(disposable.state.isStreaming);
  const low = agentLoop([], { messages: [] }, { model: agent.state.model, convertToLlm: () => [] });
  console.log((await low.result()).length);
}

// The prompt is read-only, except in the older version.
// @ts-expect-error read-only
agent.state.systemPrompt = "x";
new OldAgent({ streamFn }).state.systemPrompt = "x";
