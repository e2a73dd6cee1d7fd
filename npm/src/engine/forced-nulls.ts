/**
 * Nulls that the model had to send. Where a provider holds the model to the schema, every property is required and the
 * optional ones may be null (`wire/src/strict_schema.rs`); such a null means that the property was left out.
 */
import { toToolDeclaration } from "../declarations.js";
import type { AgentTool } from "../types.js";

type Schema = { readonly [keyword: string]: unknown };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The arguments without them: a copy where there were any, else the very same object. */
export function withoutForcedNulls(tool: AgentTool, args: unknown): unknown {
  const { constrainedSampling } = tool;
  if (!constrainedSampling || constrainedSampling.type !== "json_schema") return args;
  const copy: unknown = structuredClone(args);
  return drop(toToolDeclaration(tool).parameters, copy) ? copy : args;
}

/** In place, at every depth that the strict form of a schema can have. Tells whether there was one. */
function drop(schema: unknown, args: unknown): boolean {
  const open: [unknown, unknown][] = [[schema, args]];
  let dropped = false;
  for (let next = open.pop(); next; next = open.pop()) {
    const [known, value] = next;
    if (!isObject(known)) continue;
    if (Array.isArray(value)) for (const item of value) open.push([known.items, item]);
    else if (isObject(value) && members(known, value, open)) dropped = true;
  }
  return dropped;
}

function members(schema: Schema, value: Record<string, unknown>, open: [unknown, unknown][]): boolean {
  const { properties, required } = schema;
  if (!isObject(properties)) return false;
  let dropped = false;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) continue;
    const optional = !Array.isArray(required) || !required.includes(name);
    if (value[name] === null && optional && !allowsNull(properties[name])) dropped = delete value[name];
    else open.push([properties[name], value[name]]);
  }
  return dropped;
}

function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, anyOf, enum: values } = schema;
  if (Array.isArray(anyOf)) return anyOf.some(allowsNull);
  if (Array.isArray(values)) return values.includes(null);
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}
