// Compiled, never run: what an app writes must type-check against the published declarations, and what is wrong must not.
import { Agent, type AgentEvent, init, streamSimple, tool } from "steersman";
import { exportHtml, importHtml } from "steersman/html";
import { redact, replay, Session, SessionTree } from "steersman/session";
import { fileHandleLog, JsonlStore, OpfsStore, RemoteStore } from "steersman/stores";

const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const lookUp = tool({
  name: "look_up",
  description: "Looks up a customer",
  parameters,
  // A plain JSON Schema says nothing to the compiler: the arguments are unknown until the tool looks at them.
  async execute(_callId, args) {
    // @ts-expect-error: unknown
    args.id;
    const { id } = args as { id: string };
    return { content: [{ type: "text", text: id.toUpperCase() }], details: undefined };
  },
});

export async function app(bytes: ArrayBuffer): Promise<string> {
  await init(bytes);
  const agent = new Agent({ streamFn: streamSimple });
  agent.state.tools = [lookUp];
  const off: () => void = agent.subscribe((event: AgentEvent) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      const delta: string = event.assistantMessageEvent.delta;
      console.log(delta);
    }
    // @ts-expect-error: no such event
    if (event.type === "message_updated") return;
  });
  for await (const event of agent.stream("hello")) {
    // @ts-expect-error: no such event
    if (event.type === "message_updated") break;
  }
  off();
  // @ts-expect-error: a prompt is text or messages
  await agent.prompt(42);
  return agent.state.errorMessage ?? "";
}

export async function sessions(agent: Agent, file: FileSystemFileHandle): Promise<string> {
  const stores = [
    new JsonlStore(fileHandleLog(file)),
    new OpfsStore({ id: "s" }),
    new RemoteStore("https://sessions.example/s", { headers: { authorization: "Bearer x" } }),
  ];
  for (const store of stores) await new Session({ agent, store }).ready;
  const tree = SessionTree.create();
  const { tree: clean, replaced } = redact(tree, { keys: ["x"], thinking: true });
  for await (const event of replay(clean, { speed: 100 })) if (event.type === "agent_end") break;
  // @ts-expect-error: no such part
  exportHtml(clean, { redact: { everything: true } });
  const count: number = replaced;
  return importHtml(exportHtml(clean, { redact: false }).html) + count;
}
