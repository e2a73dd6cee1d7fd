/**
 * `init`: the module loaded, and a dry run made, ahead of the first prompt.
 *
 * Engines compile each WebAssembly function, and most of JavaScript, when it is first called, on the thread that calls.
 * For a short answer that is most of the work. The dry run asks a made-up model that answers from memory, with a tool
 * call and a text, so that no part of a usual run is new when the first prompt comes.
 */
import { CURRENT } from "../profile.js";
import { nextTurn } from "../stream/pace.js";
import type { AgentTool, Message, Model, WasmSource } from "../types.js";
import { startRun } from "./index.js";
import { init as load } from "./load.js";
import { streamSimple } from "./wires.js";

const model: Model = {
  id: "dry-run",
  name: "dry-run",
  api: "openai-completions",
  provider: "dry-run",
  baseUrl: "http://localhost",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

const tool: AgentTool = {
  name: "dry_run",
  label: "dry_run",
  description: "None.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: () => Promise.resolve({ content: [{ type: "text", text: "." }], details: undefined }),
};

const call = (fields: object) => ({ delta: { tool_calls: [{ index: 0, ...fields }] } });

/** What the model answers, request by request: choices of events. */
const answers: readonly (readonly object[])[] = [
  [
    call({ id: "call", type: "function", function: { name: tool.name, arguments: "" } }),
    call({ function: { arguments: '{"text":"a\\n' } }),
    call({ function: { arguments: 'b"}' } }),
    { delta: {}, finish_reason: "tool_calls" },
  ],
  [
    { delta: { role: "assistant", content: "" } },
    { delta: { content: "One" } },
    { delta: { content: " two.\n" } },
    { delta: {}, finish_reason: "stop" },
  ],
];

function body(choices: readonly object[]): string {
  const events: object[] = choices.map((choice) => ({
    id: "dry-run",
    model: model.id,
    choices: [{ index: 0, finish_reason: null, ...choice }],
  }));
  events.push({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
  return [...events.map((event) => JSON.stringify(event)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

/** One run, from memory; touches neither network nor application. */
async function dryRun(): Promise<void> {
  const rest = answers.map(body);
  const fetch = () =>
    Promise.resolve(new Response(rest.shift(), { headers: { "content-type": "text/event-stream" } }));
  await startRun({
    kind: "prompt",
    prompts: [{ role: "user", content: [{ type: "text", text: "." }], timestamp: 0 }],
    context: { messages: [], tools: [tool] },
    config: { model, convertToLlm: (messages) => messages as Message[] },
    emit: () => undefined,
    signal: undefined,
    streamFn: (model, context, options) =>
      streamSimple(model, context, { ...options, apiKey: "none", fetch }),
    profile: CURRENT,
  });
}

let warming: Promise<void> | undefined;

/**
 * Load the module now, from the entry's own place or from `source`, and make a dry run as soon as nothing more urgent
 * waits, so that the first prompt is as quick as those after it. Optional: everything that needs the module loads it.
 * Harmless when called again; after a failed load the next call tries again.
 */
export async function init(source?: WasmSource): Promise<void> {
  await load(source);
  warming ??= nextTurn()
    .then(dryRun)
    .catch(() => {
      // What is wrong here will show, and be told, in a real run.
    });
  await warming;
}
