// What an app does with the package, small enough to read the result by eye: one agent with a scripted model and
// a tool, one request through a built-in wire, and the conversation in a session. Runs unchanged in Node, a page, a worker and every bundle.
import { SessionTree } from "steersman/session";

const usage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export const model = {
  ...{ id: "scripted", name: "Scripted", api: "openai-completions", provider: "openai" },
  ...{ baseUrl: "https://api.example.test/v1", reasoning: false, input: ["text"], cost: usage.cost },
  ...{ contextWindow: 8192, maxTokens: 1024 },
};

/** A stream function that gives the prepared contents one after the other. */
export function scripted(...contents) {
  return () => {
    const content = contents.shift();
    const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    const { api, provider, id } = model;
    const message = { role: "assistant", content, api, provider, model: id, usage, stopReason, timestamp: 1 };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: message };
        yield { type: "done", reason: stopReason, message };
      },
      result: async () => message,
    };
  };
}

/** An answer of an OpenAI-compatible server, cut inside a character. */
function answer() {
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ id: "r1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const text = `${chunk({ content: "grü" })}${chunk({ content: "ezi" })}${chunk({}, "stop")}data: [DONE]\n\n`;
  const bytes = new TextEncoder().encode(text);
  const cut = bytes.indexOf(0xc3) + 1;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, cut));
      controller.enqueue(bytes.slice(cut));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Uses the package (its default entry, or one that `init` has loaded) and returns what came out. */
export async function use({ Agent, streamSimple }) {
  const add = {
    name: "add",
    label: "Add",
    description: "Adds two numbers",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: async (_id, { a, b }) => ({ content: [{ type: "text", text: String(a + b) }], details: {} }),
  };
  const call = { type: "toolCall", id: "c1", name: "add", arguments: { a: "40", b: 2 } };
  const agent = new Agent({
    initialState: { model, tools: [add] },
    streamFn: scripted([call], [{ type: "text", text: "It is 42." }]),
  });
  const events = [];
  agent.subscribe(({ type }) => {
    events.push(type);
  });
  await agent.prompt("What is 40 + 2?");
  const result = agent.state.messages.find(({ role }) => role === "toolResult");

  const context = { messages: [{ role: "user", content: "hello", timestamp: 1 }] };
  let sent;
  const fetch = async (url, request) => {
    sent = {
      url: String(url),
      body: JSON.parse(new TextDecoder().decode(new Uint8Array(await bytesOf(request.body)))),
    };
    return answer();
  };
  const reply = await (await streamSimple(model, context, { apiKey: "k", fetch })).result();
  const session = SessionTree.create();
  for (const message of agent.state.messages) session.appendMessage(message);
  const copy = SessionTree.import(session.export());
  return {
    events: events.filter((type) => type.startsWith("tool_execution") || type === "agent_end"),
    tool: result.content[0].text,
    text: agent.state.messages.at(-1).content[0].text,
    wire: reply.content[0]?.text ?? reply.errorMessage,
    kept: copy.buildSessionContext().messages.map(({ role }) => role),
    sent: `${sent.url} ${sent.body.model} ${sent.body.stream}`,
  };
}

const bytesOf = (body) => new Response(body).arrayBuffer();

/** What `use` returns when all is well. */
export const expected = {
  events: ["tool_execution_start", "tool_execution_end", "agent_end"],
  tool: "42",
  text: "It is 42.",
  wire: "grüezi",
  kept: ["system", "user", "assistant", "toolResult", "assistant"],
  sent: "https://api.example.test/v1/chat/completions scripted true",
};
