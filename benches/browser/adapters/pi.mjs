// pi-agent-core with pi-ai, put together as its documentation does: a collection of models with one provider.
import { Agent } from "@earendil-works/pi-agent-core";
import { createModels, createProvider } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { listening, modelOf, optionsOf } from "./agent.mjs";

export default {
  async load() {},

  prepare(job) {
    const models = createModels();
    models.setProvider(
      createProvider({
        id: "bench",
        name: "bench",
        baseUrl: job.baseUrl,
        auth: { apiKey: { name: "key", resolve: async () => ({ auth: { apiKey: job.apiKey } }) } },
        models: [modelOf(job)],
        api: openAICompletionsApi(),
      }),
    );
    return listening(new Agent({ ...optionsOf(job), streamFn: models.streamSimple.bind(models) }), job);
  },
};
