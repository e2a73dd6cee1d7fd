// Tools that do anything a tool may do.

/** Names in use; models call others too. */
export const NAMES = ["read", "write", "search", "think_hard"];

const text = (value) => [{ type: "text", text: value }];

export function randomTool(world) {
  const { random } = world;
  const name = random.pick(NAMES);
  return {
    name,
    label: name,
    description: `version ${random.below(3)}`,
    parameters: {
      type: "object",
      properties: { n: { type: "integer" }, s: { type: "string" } },
      required: ["n"],
    },
    ...(random.oneIn(4) ? { executionMode: "sequential" } : {}),
    prepareArguments(args) {
      world.meddle("prepareArguments");
      if (random.oneIn(20)) throw new Error("cannot be prepared");
      return args;
    },
    async execute(_id, _args, signal, onUpdate) {
      for (let step = random.below(3); step > 0; step--) {
        onUpdate({ content: text("under way"), details: {} });
        await world.wait();
        world.meddle("a tool");
        if (signal.aborted && random.oneIn(2)) throw new Error("stopped");
      }
      const content = [
        undefined,
        [],
        text(""),
        [{ type: "image", data: "aGk=", mimeType: "image/png" }],
        text("done"),
        text("done"),
      ][random.below(6)];
      if (content === undefined) throw new Error("the tool failed");
      return { content, details: {}, isError: random.oneIn(8), terminate: random.oneIn(6) };
    },
  };
}
