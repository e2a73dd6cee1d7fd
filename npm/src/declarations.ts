import { toJson } from "./json.js";
import { jsonSchemaOf, noSchema, parametersOf } from "./schema.js";
import type { Tool, ToolReference } from "./types.js";

/** A parameter schema in the form that goes into a transcript: a plain copy, and its text for comparison. */
interface SchemaForm {
  readonly copy: object;
  readonly text: string;
}

/**
 * Forms by schema object. A schema is therefore read once: whoever wants to change a schema gives the tool a new
 * object. The copies are in here too, so what a transcript declares is recognised without comparing texts.
 */
const forms = new WeakMap<object, SchemaForm>();

function schemaForm(tool: Tool): SchemaForm {
  const key: unknown = tool.parameters;
  const cacheable = key !== null && (typeof key === "object" || typeof key === "function");
  const known = cacheable ? forms.get(key) : undefined;
  if (known) return known;
  const text = toJson(jsonSchemaOf(key, tool.name), parametersOf(tool.name));
  // What is written may be something else than an object: the object's `toJSON` decides.
  if (!text?.startsWith("{")) throw noSchema(tool.name);
  const form: SchemaForm = { copy: JSON.parse(text) as object, text };
  if (cacheable) forms.set(key, form);
  forms.set(form.copy, form);
  return form;
}

/**
 * What the model is told about a tool: name, description and schema as plain data, without what only runs or is shown.
 *
 * @throws AgentError `invalid_request` when the tool has no usable schema
 */
export function toToolDeclaration(tool: Tool): Tool {
  const declaration: Tool = {
    name: tool.name,
    description: tool.description,
    parameters: schemaForm(tool).copy,
  };
  if (tool.constrainedSampling !== undefined) declaration.constrainedSampling = tool.constrainedSampling;
  return declaration;
}

/** Whether two tools look the same to the model. */
export function sameDeclaration(left: Tool, right: Tool): boolean {
  if (left === right) return true;
  if (left.name !== right.name || left.description !== right.description) return false;
  if (left.constrainedSampling !== right.constrainedSampling) {
    if (JSON.stringify(left.constrainedSampling) !== JSON.stringify(right.constrainedSampling)) return false;
  }
  const a = schemaForm(left);
  const b = schemaForm(right);
  return a === b || a.text === b.text;
}

/** The step from one set of tools to another. A changed declaration is removed and added. */
export interface ToolChanges {
  toolsAdded: Tool[];
  toolsRemoved: ToolReference[];
}

/**
 * What leads from the declared tools to those that can be executed.
 *
 * @param declared by name, in order of declaration
 * @returns undefined when there is nothing to change
 */
export function toolChanges(
  declared: ReadonlyMap<string, Tool>,
  executable: readonly Tool[],
): ToolChanges | undefined {
  const current = new Map<string, Tool>();
  for (const tool of executable) current.set(tool.name, tool);
  const toolsAdded: Tool[] = [];
  for (const tool of executable) {
    const before = declared.get(tool.name);
    if (!before || !sameDeclaration(before, tool)) toolsAdded.push(toToolDeclaration(tool));
  }
  const toolsRemoved: ToolReference[] = [];
  for (const [name, tool] of declared) {
    const after = current.get(name);
    if (!after || !sameDeclaration(tool, after)) toolsRemoved.push({ name });
  }
  return toolsAdded.length > 0 || toolsRemoved.length > 0 ? { toolsAdded, toolsRemoved } : undefined;
}
