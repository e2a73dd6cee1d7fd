// Tools whose parameters come from the real schema libraries: what the model is told, what the tool gets, what a wrong
// call says. Run by scripts/checks/schemas.mjs, which finds the libraries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type as TypeBox0 } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type as ark } from "arktype";
import { Agent, streamSimple, tool } from "steersman";
import TypeBox1 from "typebox";
import * as v from "valibot";
import * as z from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { chatModel, chunksOf, sse, streamed } from "../hostile/provider.mjs";
import { call, model, scripted } from "../shell/scripted.mjs";

/** One tool, made with every library: a city, a whole number of days from 1 on, and one of two units. */
const libraries = {
  "Zod 4": z.object({ city: z.string(), days: z.int().min(1), unit: z.enum(["c", "f"]).optional() }),
  Valibot: toStandardJsonSchema(
    v.object({
      city: v.string(),
      days: v.pipe(v.number(), v.integer(), v.minValue(1)),
      unit: v.optional(v.picklist(["c", "f"])),
    }),
  ),
  ArkType: ark({ city: "string", days: "number.integer >= 1", "unit?": "'c' | 'f'" }),
  "TypeBox 1": TypeBox1.Object({
    city: TypeBox1.String(),
    days: TypeBox1.Integer({ minimum: 1 }),
    unit: TypeBox1.Optional(TypeBox1.Enum(["c", "f"])),
  }),
  "TypeBox 0": TypeBox0.Object({
    city: TypeBox0.String(),
    days: TypeBox0.Integer({ minimum: 1 }),
    unit: TypeBox0.Optional(TypeBox0.Union([TypeBox0.Literal("c"), TypeBox0.Literal("f")])),
  }),
};

/** A tool that keeps what it is called with. */
function keeping(parameters, got) {
  const execute = async (_id, args) => {
    got.push(args);
    return { content: [{ type: "text", text: "ok" }], details: {} };
  };
  return tool({ name: "weather", description: "Weather", parameters, execute });
}

/** Results of calls with the given arguments, and what the tool got. */
async function play(parameters, ...args) {
  const got = [];
  const calls = args.map((value, index) => call(`k${index}`, "weather", value));
  const agent = new Agent({
    initialState: { model, tools: [keeping(parameters, got)] },
    streamFn: scripted([calls, "end"]),
    toolExecution: "sequential",
  });
  await agent.prompt("x");
  const results = agent.state.messages.filter(({ role }) => role === "toolResult");
  return { got, results, declared: agent.state.messages[0].toolsAdded[0].parameters };
}

for (const [name, parameters] of Object.entries(libraries)) {
  test(`${name}: declared as a plain JSON Schema, and sent as one`, async () => {
    const { declared } = await play(parameters, {});
    assert.equal(declared.type, "object");
    assert.deepEqual([...declared.required].sort(), ["city", "days"]);
    assert.equal(declared.properties.city.type, "string");
    assert.equal(declared.properties.days.type, "integer");
    assert.equal(declared.properties.days.minimum, 1);
    assert.match(JSON.stringify(declared.properties.unit), /"c".*"f"/);
    assert.equal(declared.$schema, undefined);

    const bodies = [];
    const fetch = async (_url, init) => {
      bodies.push(JSON.parse(new TextDecoder().decode(init.body)));
      return streamed([sse(chunksOf([{ type: "text", text: "end" }]))]);
    };
    const agent = new Agent({
      initialState: { model: chatModel, tools: [keeping(parameters, [])] },
      streamFn: (m, context, options) => streamSimple(m, context, { ...options, apiKey: "key", fetch }),
    });
    await agent.prompt("x");
    assert.deepEqual(bodies[0].tools[0].function.parameters, JSON.parse(JSON.stringify(declared)));
  });

  test(`${name}: arguments that fit reach the tool, others are refused by name`, async () => {
    const good = { city: "Bern", days: 3, unit: "c" };
    const { got, results } = await play(
      parameters,
      good,
      { city: "Bern", days: 1 },
      { city: "Bern", days: 0 },
      { days: 2 },
      { city: "Bern", days: 2, unit: "k" },
    );
    assert.deepEqual(got, [good, { city: "Bern", days: 1 }]);
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [false, false, true, true, true],
    );
    const texts = results.map(({ content }) => content[0].text);
    for (const [index, path] of [
      [2, "days"],
      [3, "city"],
      [4, "unit"],
    ]) {
      assert.match(texts[index], /^Validation failed for tool "weather":\n/);
      assert.match(texts[index], new RegExp(`^ {2}- .*${path}`, "m"));
      assert.match(texts[index], /\n\nReceived arguments:\n\{/);
    }
  });
}

test("libraries that validate by themselves also convert: defaults, trimmed texts, other types", async () => {
  const date = z.object({ when: z.iso.date().transform((text) => new Date(text)), days: z.int().default(7) });
  const declared = { when: "2024-02-29" };
  // Zod cannot describe what comes out of a transformation, only what goes in.
  const { got } = await play(date, declared);
  assert.deepEqual(got, [{ when: new Date("2024-02-29"), days: 7 }]);
  const trimmed = ark({ city: "string.trim" });
  assert.deepEqual((await play(trimmed, { city: " Bern " })).got, [{ city: "Bern" }]);
});

test("asynchronous checks are waited for", async () => {
  const known = z.object({ city: z.string().refine(async (city) => city === "Bern", "no such city") });
  const { got, results } = await play(known, { city: "Bern" }, { city: "Atlantis" });
  assert.deepEqual(got, [{ city: "Bern" }]);
  assert.match(results[1].content[0].text, / {2}- city: no such city/);
});

test("TypeBox is JSON Schema: arguments are converted as for any other", async () => {
  for (const name of ["TypeBox 1", "TypeBox 0"]) {
    const { got } = await play(libraries[name], { city: 5, days: "3" });
    assert.deepEqual(got, [{ city: "5", days: 3 }], name);
  }
});

test("a schema that cannot be described is refused when the agent is made, with a way out", async () => {
  const refuses = (parameters, message) =>
    assert.throws(
      () => new Agent({ initialState: { model, tools: [keeping(parameters, [])] }, streamFn: scripted([]) }),
      { code: "invalid_request", message },
    );
  refuses(v.object({ city: v.string() }), /"weather" are a valibot schema .* Standard JSON Schema/);
  refuses(mini.object({ city: mini.string() }), /"weather" are a zod schema .* Standard JSON Schema/);
  refuses(z3.object({ city: z3.string() }), /"weather" are a zod schema .* Standard JSON Schema/);
  // The library's own words.
  const trimmed = toStandardJsonSchema(v.object({ city: v.pipe(v.string(), v.trim()) }));
  refuses(trimmed, /"weather" are a valibot schema that cannot be turned into a JSON Schema: .*trim/);

  // The way out: a JSON Schema for the model, the library in `prepareArguments`.
  const schema = mini.object({ city: mini.string() });
  const got = [];
  const prepared = keeping(mini.toJSONSchema(schema), got);
  prepared.prepareArguments = (args) => mini.parse(schema, args);
  const agent = new Agent({
    initialState: { model, tools: [prepared] },
    streamFn: scripted([[call("k1", "weather", { city: "Bern" })], "end"]),
  });
  await agent.prompt("x");
  assert.deepEqual(got, [{ city: "Bern" }]);
});
