import { AgentError } from "./errors.js";
import type { AgentTool, Loose } from "./types.js";

/** What `tool()` takes: an `AgentTool` whose `label` may be left out. */
export interface ToolDefinition<TParameters extends object, TDetails>
  extends Omit<AgentTool<TParameters, TDetails>, "label"> {
  /** Name to show to people. Default: `name`. */
  label?: string;
}

/**
 * Makes a tool. The arguments of `execute` get their type from `parameters`: a Standard Schema (Zod, Valibot, ArkType),
 * a TypeBox schema, or a JSON Schema (then they are `unknown`).
 *
 * ```ts
 * const weather = tool({
 *   name: "weather",
 *   description: "Current weather of a city",
 *   parameters: z.object({ city: z.string() }),
 *   execute: async (id, { city }) => ({ content: [{ type: "text", text: await ask(city) }], details: undefined }),
 * });
 * ```
 *
 * @throws AgentError `invalid_request` when the name or `execute` is missing
 */
export function tool<TParameters extends object, TDetails = Loose>(
  definition: ToolDefinition<TParameters, TDetails>,
): AgentTool<TParameters, TDetails> {
  if (!definition.name) throw new AgentError("invalid_request", "A tool needs a name");
  if (typeof definition.execute !== "function") {
    throw new AgentError("invalid_request", `Tool "${definition.name}" has no execute function`);
  }
  return { ...definition, label: definition.label ?? definition.name };
}
