import { tool } from "steersman";
import { parameters } from "./schema.js";

/** Fails, and throws something that is not even an `Error`. The model gets an error result; the run goes on. */
export const springALeak = tool({
  name: "spring_a_leak",
  label: "Spring a leak",
  description: "Fails every time. For seeing what a failure looks like.",
  parameters: parameters<Record<never, never>>({}),
  execute: async () => {
    throw "water in the hold";
  },
});

/** Never finishes by itself. The agent waits for its tools, so a tool has to listen to the signal that Stop fires. */
export const waitForWind = tool({
  name: "wait_for_wind",
  label: "Wait for wind",
  description: "Waits until the user stops it.",
  parameters: parameters<Record<never, never>>({}),
  execute: (_id, _arguments, signal, onUpdate) =>
    new Promise((_resolve, reject) => {
      onUpdate?.({ content: [{ type: "text", text: "No wind yet." }], details: undefined });
      const stop = () => reject(new Error("Stopped while waiting."));
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
});
