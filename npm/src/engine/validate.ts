/** Tool arguments: prepared by the tool, then coerced and checked against its schema, on a copy. */
import * as wasm from "../../pkg/steersman.js";
import { CURRENT, type Profile } from "../profile.js";
import { toJson } from "../json.js";
import { parametersOf } from "../schema.js";
import { WireRefusal } from "../stream/engine.js";
import type { AgentTool, AgentToolCall } from "../types.js";
import { describe, isThenable } from "./describe.js";
import { applyEdit, type Edit } from "./edits.js";
import { withoutForcedNulls } from "./forced-nulls.js";
import { enter, onReset } from "./guard.js";

/** Keys of compiled schemas in the module, by their text; the text is found by the schema object. */
const compiled = new Map<string, number>();
const texts = new WeakMap<object, string>();
const MOST_SCHEMAS = 256;

onReset(() => compiled.clear());

/**
 * The arguments a tool gets. Throws (or rejects) with the text that becomes the call's error result: bad JSON from the
 * model, or the list of problems.
 */
export function validArguments(tool: AgentTool, call: AgentToolCall, profile: Profile): unknown {
  const prepared = tool.prepareArguments ? tool.prepareArguments(call.arguments) : call.arguments;
  if (profile.argumentsError && call.argumentsError) {
    throw new Error(`Invalid arguments for tool "${call.name}": ${call.argumentsError}`);
  }
  return checkedArguments(tool, call, prepared, profile);
}

/** The same for arguments that are already in the form of the schema. */
export function checkedArguments(
  tool: AgentTool,
  call: AgentToolCall,
  given: unknown,
  profile: Profile,
): unknown {
  const schema: unknown = tool.parameters;
  const prepared = withoutForcedNulls(tool, given);
  const standard = standardValidate(schema);
  if (standard) return withStandard(standard, prepared, call);
  return withSchema(schema, prepared, call, profile);
}

function withSchema(schema: unknown, prepared: unknown, call: AgentToolCall, profile: Profile): unknown {
  // A copy, so that a tool that changes its arguments never changes the call in the transcript.
  const copy: unknown = structuredClone(prepared);
  const { argumentsText } = call;
  const exact = typeof argumentsText === "string" && prepared === call.arguments ? argumentsText : undefined;
  const text = exact ?? JSON.stringify(copy) ?? "null";
  const key = schemaKey(schema, profile, call.name);
  return judged(key, text, copy, (lines) => new Error(report(lines, prepared, call)));
}

/** The value of a text as a compiled schema wants it, changed in place. Throws what `refusal` makes of the problems, in lines. */
function judged(key: number, text: string, value: unknown, refusal: (lines: string) => Error): unknown {
  const answer = enter(() => wasm.checkArguments(key, text));
  if (answer === undefined) return value;
  if (!answer.startsWith("[")) throw refusal(answer);
  return (JSON.parse(answer) as Edit[]).reduce(applyEdit, value);
}

/**
 * The value of an answer that has to fit a schema, converted where the schema asks for it.
 *
 * @throws WireRefusal `protocol` with the problems
 */
export function checkedAnswer(schema: object, answer: string): unknown {
  const text = withoutFence(answer);
  return judged(
    schemaKey(schema, CURRENT),
    text,
    parsed(text),
    (lines) => new WireRefusal("protocol", `The answer does not fit responseSchema:\n${lines}`),
  );
}

/** Models without a mechanism for it like to put JSON into a block of code. */
const withoutFence = (text: string): string => /^\s*```\w*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WireRefusal(
      "protocol",
      `The answer is not the JSON that responseSchema asks for: ${describe(error)}`,
    );
  }
}

function report(lines: string, received: unknown, call: AgentToolCall): string {
  return `Validation failed for tool "${call.name}":\n${lines}\n\nReceived arguments:\n${JSON.stringify(received, null, 2)}`;
}

function schemaKey(schema: unknown, profile: Profile, toolName?: string): number {
  // The schema is the application's: reading it may throw, which is no trap.
  const document = schemaText(schema, toolName);
  const text = `${profile.coercion}${document}`;
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= MOST_SCHEMAS) {
    for (const [oldText, key] of compiled) {
      compiled.delete(oldText);
      enter(() => wasm.forget(key));
      break;
    }
  }
  const key = enter(() => wasm.compileSchema(document, profile.coercion === "0.85"));
  compiled.set(text, key);
  return key;
}

/** Schemas are long-lived: one text per object, taken when it is first used. */
function schemaText(schema: unknown, toolName: string | undefined): string {
  const known = texts.get(schema as object);
  if (known !== undefined) return known;
  const text = toJson(schema, parametersOf(toolName)) ?? "true";
  if (typeof schema === "object" && schema !== null) texts.set(schema, text);
  return text;
}

// --- Standard Schema (Zod, Valibot, ArkType): their own validate runs ------------------------------------------------

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

type StandardValidate = (value: unknown) => StandardResult | PromiseLike<StandardResult>;

function standardValidate(schema: unknown): StandardValidate | undefined {
  if (schema === null || (typeof schema !== "object" && typeof schema !== "function")) return undefined;
  const standard = (schema as { "~standard"?: { validate?: unknown } })["~standard"];
  if (typeof standard?.validate !== "function") return undefined;
  return (value) => (standard.validate as StandardValidate)(value);
}

function withStandard(validate: StandardValidate, prepared: unknown, call: AgentToolCall): unknown {
  const judge = (result: StandardResult): unknown => {
    if (!result.issues) return result.value;
    const lines = result.issues.map(({ message, path }) => `  - ${dotted(path)}: ${message}`);
    throw new Error(report(lines.join("\n"), prepared, call));
  };
  const result = validate(structuredClone(prepared));
  return isThenable(result) ? Promise.resolve(result).then(judge) : judge(result as StandardResult);
}

function dotted(path: StandardIssue["path"]): string {
  if (!path?.length) return "root";
  return path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
}
