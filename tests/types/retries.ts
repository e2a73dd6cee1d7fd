// Repetitions and fallback models, as the types see them.
import { Agent, type AgentEventWithRetries, type FallbackModel, type Model, streamSimple } from "steersman";

declare const model: Model;
const spare: FallbackModel = { model, apiKey: "k" };
const agent = new Agent({ streamFn: streamSimple, maxRetries: 2, fallbackModels: [model, spare] });
agent.subscribe((event: AgentEventWithRetries) => {
  if (event.type === "request_retry") {
    const wait: number = event.delayMs;
    const words: string = `${event.attempt} of ${event.maxRetries}: ${event.reason}`;
    void [wait, words];
  }
});
agent.maxRetries = undefined;
// @ts-expect-error a model, not its name
agent.fallbackModels = ["gpt"];
