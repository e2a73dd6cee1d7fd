import { tool } from "steersman";
import { type ColorName, colorNames, hues } from "./colors.js";
import { parameters } from "./schema.js";

/** Changes the accent colour of this page. */
export const setColor = tool({
  name: "set_color",
  label: "Page colour",
  description: "Change the color of the page",
  // The list is in the schema, so a name that is not in it never reaches `execute`: the model gets the list instead.
  parameters: parameters<{ color: ColorName }>({ color: { type: "string", enum: colorNames } }),
  // Models write "Green" and "grey"; repair what can be repaired before it is checked.
  prepareArguments: (raw) => {
    const given = (raw ?? {}) as { color?: unknown };
    const color = typeof given.color === "string" ? given.color.trim().toLowerCase() : given.color;
    return { ...given, color: (color === "grey" ? "gray" : color) as ColorName };
  },
  execute: async (_id, { color }) => {
    const hue = hues[color];
    const { style } = document.documentElement;
    style.setProperty("--hue", String(hue ?? 0));
    style.setProperty("--colorful", hue === undefined ? "0" : "1");
    return { content: [{ type: "text", text: `The page is ${color} now.` }], details: { color } };
  },
});
