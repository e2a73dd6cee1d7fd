// The types of tool arguments follow from the schema. Compiled, never run; the schemas are stand-ins in the shape of
// the libraries' own types, so that none of them has to be installed (tests/schemas has the real ones).
import { Agent, type AgentEvent, type AgentTool, type AgentToolParams, tool } from "steersman";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(answer: Equal<A, B>): void;

// Standard Schema: Zod, Valibot, ArkType.
interface Standard<Input, Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { value: Output };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}
declare const standard: Standard<{ city: string; days?: string }, { city: string; days: number }>;
same<AgentToolParams<typeof standard>, { city: string; days: number }>(true);

// TypeBox 1: the type follows from the kind.
interface TString {
  "~kind": "String";
  type: "string";
}
interface TInteger {
  "~kind": "Integer";
  type: "integer";
}
interface TLiteral<V> {
  "~kind": "Literal";
  const: V;
}
interface TArray<I> {
  "~kind": "Array";
  items: I;
}
interface TUnion<B extends unknown[]> {
  "~kind": "Union";
  anyOf: B;
}
interface TObject<P> {
  "~kind": "Object";
  type: "object";
  properties: P;
}
type TOptional<S> = S & { "~optional": true };
declare const typebox1: TObject<{
  city: TString;
  days: TOptional<TInteger>;
  unit: TUnion<[TLiteral<"c">, TLiteral<"f">]>;
  tags: TArray<TString>;
}>;
same<
  AgentToolParams<typeof typebox1>,
  { city: string; unit: "c" | "f"; tags: string[]; days?: number | undefined }
>(false); // exactOptionalPropertyTypes tells `days?: number` from that.
same<AgentToolParams<typeof typebox1>, { city: string; unit: "c" | "f"; tags: string[]; days?: number }>(
  true,
);

// TypeBox 0: the type is a property.
declare const typebox0: { static: { city: string }; params: unknown[]; type: "object" };
same<AgentToolParams<typeof typebox0>, { city: string }>(true);

// pi's builders record it under a symbol.
declare const recorded: unique symbol;
declare const built: { readonly [keyword: string]: unknown } & { readonly [recorded]?: { path: string } };
same<AgentToolParams<typeof built>, { path: string }>(true);

// A JSON Schema says nothing that the compiler could read.
same<AgentToolParams<{ type: "object"; properties: { a: { type: "string" } } }>, unknown>(true);

const weather = tool({
  name: "weather",
  description: "Current weather",
  parameters: standard,
  execute: async (_id, { city, days }, signal, onUpdate, exact) => {
    same<typeof city, string>(true);
    same<typeof days, number>(true);
    same<typeof signal, AbortSignal | undefined>(true);
    onUpdate?.({ content: [], details: { percent: 1 } });
    const digits: string | undefined = exact?.argumentsText;
    return { content: [{ type: "text", text: `${city} ${digits}` }], details: { percent: 100 } };
  },
});
same<typeof weather, AgentTool<typeof standard>>(true);

const json = tool({
  ...{ name: "json", description: "", parameters: { type: "object" } },
  execute: async (_id, params) => {
    same<typeof params, unknown>(true);
    return { content: [], details: { when: new Date() } };
  },
});
// Details need not be JSON.
same<typeof json extends AgentTool<infer _P, infer D> ? D : never, { when: Date }>(true);

tool({
  ...{ name: "wrong", description: "", parameters: standard },
  // @ts-expect-error the schema has no such argument
  execute: async (_id, { town }) => ({ content: [], details: town }),
});

// What is `any` in pi is `any` here, because code relies on it.
agentEvents((event) => {
  if (event.type === "tool_execution_start") event.args.path.trim();
  if (event.type === "tool_execution_update") event.partialResult.details.percent.toFixed();
  if (event.type === "tool_execution_end") event.result.content[0].text.trim();
});
declare function agentEvents(listener: (event: AgentEvent) => void): void;

// Tools with different arguments go into one list.
const agent = new Agent({ initialState: { tools: [weather, json] } });
agent.state.tools = [json, weather];
agent.state.tools.push(weather);
