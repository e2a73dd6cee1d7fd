import { tool } from "steersman";
import { parameters } from "./schema.js";

/** Reads the clock of this device. */
export const getTime = tool({
  name: "get_time",
  label: "Local time",
  description: "Get the current date and time",
  parameters: parameters<Record<never, never>>({}),
  execute: async () => {
    const now = new Date();
    const text = now.toLocaleString("en-GB", {
      weekday: "long",
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return {
      content: [{ type: "text", text: `It is ${text} (${timeZone}).` }],
      // Not for the model: the transcript keeps it beside the result.
      details: { iso: now.toISOString(), timeZone },
    };
  },
});
