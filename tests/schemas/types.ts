// The types of tool arguments follow from the real libraries' schemas. Compiled by scripts/checks/schemas.mjs, never run.
import { type Static as Static0, Type as TypeBox0 } from "@sinclair/typebox";
import { type as ark } from "arktype";
import { Agent, type AgentToolParams, tool } from "steersman";
import TypeBox1, { type Static as Static1 } from "typebox";
import * as v from "valibot";
import * as z from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(answer: Equal<A, B>): void;

const zod = z.object({ city: z.string(), days: z.int().default(3), unit: z.enum(["c", "f"]).optional() });
same<AgentToolParams<typeof zod>, z.output<typeof zod>>(true);
const zodMini = mini.object({ city: mini.string() });
same<AgentToolParams<typeof zodMini>, { city: string }>(true);
const zod3 = z3.object({ city: z3.string(), days: z3.number().optional() });
same<AgentToolParams<typeof zod3>, z3.output<typeof zod3>>(true);

const valibot = v.object({ city: v.string(), unit: v.optional(v.picklist(["c", "f"])) });
same<AgentToolParams<typeof valibot>, v.InferOutput<typeof valibot>>(true);

const arktype = ark({ city: "string", "days?": "number.integer", unit: "'c' | 'f'" });
same<AgentToolParams<typeof arktype>, typeof arktype.infer>(true);

const typebox1 = TypeBox1.Object({
  city: TypeBox1.String(),
  days: TypeBox1.Optional(TypeBox1.Integer()),
  unit: TypeBox1.Union([TypeBox1.Literal("c"), TypeBox1.Literal("f")]),
  tags: TypeBox1.Array(TypeBox1.String()),
  nested: TypeBox1.Object({ a: TypeBox1.Null() }),
});
same<AgentToolParams<typeof typebox1>, Static1<typeof typebox1>>(true);
const typebox0 = TypeBox0.Object({
  city: TypeBox0.String(),
  days: TypeBox0.Optional(TypeBox0.Integer()),
  unit: TypeBox0.Union([TypeBox0.Literal("c"), TypeBox0.Literal("f")]),
});
same<AgentToolParams<typeof typebox0>, Static0<typeof typebox0>>(true);

const execute = async () => ({ content: [], details: undefined });
const about = { description: "", execute };
const tools = [
  tool({ name: "zod", parameters: zod, ...about }),
  tool({ name: "valibot", parameters: valibot, ...about }),
  tool({ name: "arktype", parameters: arktype, ...about }),
  tool({ name: "typebox1", parameters: typebox1, ...about }),
  tool({ name: "typebox0", parameters: typebox0, ...about }),
];
// Different libraries go into one list.
new Agent().state.tools = tools;
tool({
  ...{ name: "typed", description: "", parameters: zod },
  execute: async (_id, { city, days, unit }) => {
    same<typeof city, string>(true);
    same<typeof days, number>(true);
    same<typeof unit, "c" | "f" | undefined>(true);
    return { content: [], details: undefined };
  },
});
