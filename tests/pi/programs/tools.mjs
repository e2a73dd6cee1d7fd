// Tools that do whatever a tool may do.

export const NAMES = ["read", "write", "look"];

const PARAMETERS = [
  { type: "object", properties: {} },
  { type: "object", properties: { n: { type: "integer" }, s: { type: "string" } }, required: ["n"] },
  {
    type: "object",
    properties: { list: { type: "array", items: { type: "number" } } },
    additionalProperties: false,
  },
];

const text = (value) => [{ type: "text", text: value }];

export function randomTools(world, place) {
  const { choices } = world;
  return NAMES.filter((name) => !choices.oneIn(`${place} lacks ${name}`, 5)).map((name) =>
    randomTool(world, name, `${place} ${name}`),
  );
}

function randomTool(world, name, place) {
  const { choices } = world;
  const tool = {
    name,
    label: name,
    description: `tool ${name}`,
    parameters: choices.pick(`${place} parameters`, PARAMETERS),
    execute: (id, args, signal, onUpdate) => execute(world, `${place} ${id}`, { id, args, signal, onUpdate }),
  };
  const mode = choices.pick(`${place} mode`, [
    undefined,
    undefined,
    undefined,
    undefined,
    "sequential",
    "parallel",
  ]);
  if (mode) tool.executionMode = mode;
  if (choices.oneIn(`${place} prepares`, 4)) tool.prepareArguments = (args) => prepare(world, place, args);
  return tool;
}

function prepare(world, place, args) {
  const name = world.choices.name(`${place} prepares`);
  world.say(name, { args });
  world.act(name);
  world.stumble(name, 10);
  switch (world.choices.pick(`${name} gives`, ["same", "copy", "other", "nothing"])) {
    case "copy":
      return { ...args };
    case "other":
      return { n: "7", list: 1 };
    case "nothing":
      return undefined;
    default:
      return args;
  }
}

const RESULTS = [
  (name) => ({ content: text(`result of ${name}`), details: { of: name } }),
  (name) => ({ content: text(`bad ${name}`), details: {}, isError: true }),
  (name) => ({ content: text(`last ${name}`), details: null, terminate: true }),
  (name) => ({ content: text(name), details: undefined, usage: { input: 3 }, more: new Date(5) }),
  (name) => ({ content: text(name), details: [], structuredContent: { name } }),
  (name) => ({ content: [{ type: "image", data: "aGk=", mimeType: name }], details: 0 }),
  () => ({ content: [], details: "" }),
  () => ({ details: {} }),
  () => ({}),
  () => undefined,
  () => null,
  () => "a text",
];

function execute(world, place, { id, args, signal, onUpdate }) {
  const { choices } = world;
  const name = choices.name(place);
  world.say(`execute ${name}`, {
    id,
    args,
    signal,
    updates: typeof onUpdate,
    "args is": world.trace.id(args),
  });
  const result = () => {
    if (choices.oneIn(`${name} keeps its arguments`, 12)) args.changed = true;
    // Most results are good ones.
    const which = choices.oneIn(`${name} gives something odd`, 3)
      ? choices.below(`${name} result`, RESULTS.length)
      : 0;
    return RESULTS[which](name);
  };
  const alone = id.startsWith("only");
  if (choices.oneIn(`${name} reports`, 3)) return reports(world, name, { signal, onUpdate, result, alone });
  if (alone) return world.callback(name, result, { rarity: 8 });
  return apart(world, name).then(() => world.callback(name, result, { rarity: 8, sync: false }));
}

/** Calls of one batch go on at times of their own: which of two comes first in one moment is nobody's business. */
const apart = ({ clock, choices }, name) => clock.sleep(choices.below(`${name} apart`, 1e9) / 1e9);

/** Reports, waits for an abort too, and may report when nobody asks any more. */
async function reports(world, name, { signal, onUpdate, result, alone }) {
  const { choices } = world;
  if (!alone) await apart(world, name);
  for (let step = 1 + choices.below(`${name} steps`, 3); step > 0; step--) {
    const returned = onUpdate({ content: text(`step ${step}`), details: { step } });
    world.say(`reported in ${name}`, { returned: typeof returned });
    await world.pause(`${name} step ${step}`);
    world.act(`${name} step ${step}`);
    if (signal?.aborted && choices.oneIn(`${name} notices`, 2)) throw new Error(`${name} was stopped`);
  }
  world.stumble(name, 8);
  if (choices.oneIn(`${name} is late`, 5)) {
    void world.clock.sleep(0.5).then(() => {
      world.say(`late report of ${name}`);
      onUpdate({ content: text("late"), details: {} });
    });
  }
  return result();
}
