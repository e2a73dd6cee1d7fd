import { tool } from "steersman";
import { save } from "../download.js";
import { parameters } from "./schema.js";

/** Writes a file to the downloads of the user. It leaves the page, so the user is asked first. */
export const saveFile = tool({
  name: "save_file",
  label: "Save a file",
  description: "Save a text file to the user's downloads. The user is asked for permission.",
  parameters: parameters<{ name: string; text: string }>({
    name: { type: "string", description: "File name, such as notes.txt", minLength: 1, maxLength: 80 },
    text: { type: "string", description: "What to write" },
  }),
  // The agent reports a `tool_approval_request`, and runs the tool only after `agent.approve()`.
  approval: true,
  execute: async (_id, { name, text }) => {
    save(name, text, "text/plain");
    return { content: [{ type: "text", text: `Saved ${name}.` }], details: { bytes: new Blob([text]).size } };
  },
});
