// What the adapters of agent packages share: both packages offer an `Agent` with the same options and events.

/** The model entry of the scripted provider. */
export const modelOf = (job) => ({
  id: job.model,
  name: job.model,
  api: "openai-completions",
  provider: "bench",
  baseUrl: job.baseUrl,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 8192,
});

/** Options of the agent but for `streamFn`. */
export const optionsOf = (job) => ({
  initialState: {
    systemPrompt: job.system,
    model: modelOf(job),
    tools: job.tools.map(({ run, ...declaration }) => ({
      ...declaration,
      label: declaration.name,
      async execute(_id, args) {
        return { content: [{ type: "text", text: await run(args) }], details: undefined };
      },
    })),
  },
  getApiKey: () => job.apiKey,
});

/** Hands the deltas of an event on. */
export function pass(event, onDelta) {
  if (event.type !== "message_update") return;
  const step = event.assistantMessageEvent;
  if (step.type === "text_delta") onDelta("text", step.delta);
  else if (step.type === "toolcall_delta") onDelta("args", step.delta);
}

/** A run with a listener, from a fresh agent. */
export const listening = (agent, job) => async (onDelta) => {
  agent.subscribe((event) => pass(event, onDelta));
  await agent.prompt(job.prompt);
  succeeded(agent);
};

/** @throws what ended the run */
export function succeeded({ state }) {
  if (state.errorMessage) throw new Error(state.errorMessage);
}
