// Hooks that change anything a hook may change.
import { randomTools } from "./tools.mjs";

const LEVELS = [undefined, "off", "low", "high"];

/** The hooks an agent has; each is there now and then. */
export function randomHooks(world, place) {
  const hooks = HOOKS(world, place);
  const old = ["finishTurn", "prepareRequest"];
  const names = Object.keys(hooks).filter((name) => !(world.host.old && old.includes(name)));
  const chosen = names.filter((name) => world.choices.oneIn(`${place} has ${name}`, 4));
  return Object.fromEntries(chosen.map((name) => [name, hooks[name]]));
}

/** Hooks of a low-level run: the queues too, and one `prepareNextTurn`. */
export function lowHooks(world, place) {
  const { prepareNextTurnWithContext, prepareNextTurn, convertToLlm, ...hooks } = randomHooks(world, place);
  const { choices } = world;
  const queue = (name) => async () => {
    const call = choices.name(`${place} ${name}`);
    world.say(call);
    return world.callback(call, () => {
      const odd = choices.pick(`${call} gives`, ["none", "none", "one", "two", "undefined", "null"]);
      if (odd === "undefined" || odd === "null") return odd === "null" ? null : undefined;
      const count = world.requests < 8 ? { none: 0, one: 1, two: 2 }[odd] : 0;
      return Array.from({ length: count }, () => world.message(call));
    });
  };
  return {
    ...hooks,
    ...(prepareNextTurnWithContext ? { prepareNextTurn: prepareNextTurnWithContext } : {}),
    convertToLlm: convertToLlm ?? known,
    ...(choices.oneIn(`${place} has steering`, 2) ? { getSteeringMessages: queue("steering") } : {}),
    ...(choices.oneIn(`${place} has follow-ups`, 2) ? { getFollowUpMessages: queue("follow-ups") } : {}),
  };
}

const known = (messages) => messages.filter((message) => message?.role !== "notice");

/** A context by what it holds. */
const brief = (world, context) =>
  context && {
    ...context,
    "context is": world.trace.id(context),
    "messages are": world.trace.id(context.messages),
    messages: context.messages.map((message) => world.trace.id(message)),
    tools: context.tools?.map(({ name }) => name),
  };

const turnOf = (world, turn) => ({
  "turn is": world.trace.id(turn),
  message: world.trace.id(turn.message),
  results: turn.toolResults.map((message) => world.trace.id(message)),
  context: brief(world, turn.context),
  added: turn.newMessages.map((message) => world.trace.id(message)),
  "added is": world.trace.id(turn.newMessages),
});

const callOf = (world, { assistantMessage, toolCall, args, context, ...rest }) => ({
  ...rest,
  message: world.trace.id(assistantMessage),
  call: world.trace.id(toolCall),
  args,
  "args is": world.trace.id(args),
  context: brief(world, context),
  "result is": world.trace.id(rest.result),
});

/** What the next requests are made of, changed. */
function update(world, name, context, withMessages) {
  const { choices } = world;
  if (!choices.oneIn(`${name} updates`, 3))
    return choices.pick(`${name} nothing`, [undefined, undefined, null, {}]);
  const made = {};
  if (choices.oneIn(`${name} context`, 3)) {
    const keep = choices.below(`${name} keeps`, 5);
    made.context = { ...context, messages: context.messages.slice(context.messages.length - keep) };
    if (choices.oneIn(`${name} tools`, 3)) made.context.tools = randomTools(world, `${name} tools`);
    if (choices.oneIn(`${name} no tools`, 6)) delete made.context.tools;
  }
  if (choices.oneIn(`${name} model`, 3)) made.model = world.model(`${name} model`);
  if (choices.oneIn(`${name} level`, 3)) made.thinkingLevel = LEVELS[choices.below(`${name} which`, 4)];
  if (withMessages && choices.oneIn(`${name} messages`, 4)) made.messages = [world.message(name)];
  return made;
}

function beforeResult(world, name, args) {
  const { choices } = world;
  if (choices.oneIn(`${name} changes arguments`, 6) && typeof args === "object" && args) args.before = name;
  const said = choices.pick(`${name} says`, [
    "nothing",
    "nothing",
    "nothing",
    "block",
    "reason",
    "terminate",
    "allow",
  ]);
  return {
    nothing: undefined,
    block: { block: true },
    reason: { block: true, reason: choices.pick(`${name} reason`, ["no", "", "not here"]) },
    terminate: { block: true, reason: "over", terminate: true },
    allow: { block: false, terminate: true },
  }[said];
}

const AFTER = [
  undefined,
  undefined,
  {},
  { content: [{ type: "text", text: "changed" }] },
  { content: null, details: null, terminate: null, isError: null },
  { details: { changed: 1 }, isError: false },
  { isError: true, terminate: true },
  { terminate: false, content: [] },
  { structuredContent: { a: 1 }, usage: { output: 1 } },
];

const HOOKS = (world, place) => {
  const { choices } = world;
  const call = (hook, shown, body, options) => {
    const name = choices.name(`${place} ${hook}`);
    world.say(name, shown);
    return world.callback(name, () => body(name), options);
  };
  return {
    transformContext: (messages, signal) =>
      call(
        "transformContext",
        { messages: messages.map((m) => world.trace.id(m)), signal, is: world.trace.id(messages) },
        (name) => {
          const how = choices.pick(`${name} how`, ["same", "same", "more", "fewer", "push", "pop"]);
          if (how === "push") messages.push(world.message(name));
          if (how === "pop") messages.pop();
          if (how === "more") return [...messages, world.message(name)];
          return how === "fewer" ? messages.slice(1) : messages;
        },
      ),
    convertToLlm: (messages) =>
      call("convertToLlm", { messages: messages.map((m) => world.trace.id(m)) }, () =>
        messages.map((m) => (m?.role === "notice" ? { role: "user", content: m.content, timestamp: 1 } : m)),
      ),
    getApiKey: (provider) =>
      call("getApiKey", { provider }, (name) => choices.pick(`${name} key`, ["key", undefined, "", "other"])),
    beforeToolCall: (given, signal) =>
      call(
        `beforeToolCall ${given.toolCall.id}`,
        { ...callOf(world, given), signal },
        (name) => beforeResult(world, name, given.args),
        { rarity: 15 },
      ),
    afterToolCall: (given, signal) =>
      call(
        `afterToolCall ${given.toolCall.id}`,
        { ...callOf(world, given), signal },
        (name) => choices.pick(`${name} says`, AFTER),
        { rarity: 15 },
      ),
    finishTurn: (turn, signal) =>
      call("finishTurn", { ...turnOf(world, turn), signal }, (name) => {
        const action = choices.pick(`${name} says`, [undefined, undefined, undefined, "continue", "end"]);
        return action && (action === "end" || world.requests < 8) ? { action } : undefined;
      }),
    prepareRequest: (request, signal) =>
      call(
        "prepareRequest",
        { ...request, model: request.model.id, context: brief(world, request.context), signal },
        (name) => update(world, name, request.context, false),
      ),
    prepareNextTurn: (signal) =>
      call("prepareNextTurn", { signal }, (name) =>
        update(world, name, { messages: [world.message(name)] }, true),
      ),
    prepareNextTurnWithContext: (turn, signal) =>
      call("prepareNextTurnWithContext", { ...turnOf(world, turn), signal }, (name) =>
        update(world, name, turn.context, true),
      ),
  };
};
