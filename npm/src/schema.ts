import { describe } from "./engine/describe.js";
import { AgentError } from "./errors.js";

/** What a Standard Schema reports. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a Standard Schema's validation: a value, or issues. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The run-time part of the Standard Schema interface (https://standardschema.dev), as far as tools need it. */
export interface StandardSchema {
  readonly "~standard": {
    readonly vendor?: string;
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: { input(options: { target: string }): object };
  };
}

/** Whether a tool's `parameters` validate by themselves (Zod, Valibot, ArkType) instead of being a JSON Schema. */
export function isStandardSchema(parameters: unknown): parameters is StandardSchema {
  if (parameters === null || (typeof parameters !== "object" && typeof parameters !== "function"))
    return false;
  const standard = (parameters as { "~standard"?: { validate?: unknown } })["~standard"];
  return typeof standard?.validate === "function";
}

/**
 * The JSON Schema that the model is told: `parameters` itself, or what a Standard Schema gives (`~standard.jsonSchema`,
 * else the methods `toJSONSchema` of Zod 4 and `toJsonSchema` of ArkType).
 *
 * @param toolName for the error text; undefined: it is a `responseSchema`
 * @throws AgentError `invalid_request` when there is no schema, or a Standard Schema cannot give one
 */
export function jsonSchemaOf(parameters: unknown, toolName?: string): object {
  if (isStandardSchema(parameters)) {
    const refuse = (why: string, cause?: unknown) =>
      new AgentError(
        "invalid_request",
        `${parametersOf(toolName)} ${toolName === undefined ? "is" : "are"} a ` +
          `${parameters["~standard"].vendor ?? "Standard Schema"} schema ` +
          `that cannot be turned into a JSON Schema${why}`,
        { cause },
      );
    let described: object | undefined;
    try {
      described = describedBy(parameters);
    } catch (thrown) {
      throw refuse(`: ${describe(thrown)}`, thrown);
    }
    if (described) return withoutDialect(described);
    throw refuse(". Use a version that supports Standard JSON Schema, or pass a JSON Schema.");
  }
  if (typeof parameters === "object" && parameters !== null) return parameters;
  throw noSchema(toolName);
}

/** Says that something else stands where a schema belongs. */
export const noSchema = (toolName: string | undefined): AgentError =>
  new AgentError(
    "invalid_request",
    toolName === undefined
      ? "responseSchema is no schema"
      : `Tool "${toolName}" has no parameters. An empty JSON Schema is {}.`,
  );

/** A schema in the words of an error; without a tool it is that of the answer. */
export const parametersOf = (toolName: string | undefined): string =>
  toolName === undefined ? "responseSchema" : `The parameters of tool "${toolName}"`;

/** What the library says about its own schema; undefined where it cannot say anything. */
function describedBy(parameters: StandardSchema): object | undefined {
  const fromStandard = parameters["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (fromStandard) return fromStandard;
  const own = parameters as { toJSONSchema?: unknown; toJsonSchema?: unknown };
  const method = typeof own.toJSONSchema === "function" ? own.toJSONSchema : own.toJsonSchema;
  return typeof method === "function" ? (method.call(parameters) as object) : undefined;
}

/** Providers have no use for `$schema`, and some refuse keywords that they do not know. */
function withoutDialect(schema: object): object {
  const { $schema: _, ...rest } = schema as { $schema?: unknown };
  return rest;
}
