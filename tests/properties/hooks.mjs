// Hooks that change anything a hook may change.

/** A change of what the next requests are made of. */
function change(world, context) {
  const { random } = world;
  const made = {};
  if (random.oneIn(6)) {
    const keep = random.below(6);
    made.context = { ...context, messages: keep === 0 ? [] : context.messages.slice(-keep) };
  }
  if (random.oneIn(10)) made.model = world.model();
  if (random.oneIn(10)) made.context = { ...(made.context ?? context), tools: world.tools() };
  if (random.oneIn(10)) made.messages = [world.message()];
  if (random.oneIn(10)) made.thinkingLevel = random.pick(["off", "high"]);
  return made;
}

export const randomHooks = (world) => ({
  async prepareNextTurnWithContext({ context }) {
    await world.wait();
    world.meddle("prepareNextTurn");
    world.stumble("prepareNextTurn");
    return change(world, context);
  },
  async prepareRequest({ context }) {
    world.meddle("prepareRequest");
    world.stumble("prepareRequest");
    const { messages: _, ...made } = change(world, context);
    return made;
  },
  async transformContext(messages) {
    await world.wait();
    world.meddle("transformContext");
    world.stumble("transformContext");
    const what = world.random.below(8);
    if (what === 0) return world.thinned(messages);
    if (what > 1) return messages;
    const more = messages.slice();
    more.splice(world.random.below(more.length + 1), 0, world.message());
    return more;
  },
  async convertToLlm(messages) {
    world.stumble("convertToLlm");
    const notice = { role: "user", content: "a notice", timestamp: 1 };
    return messages.map((message) => (message.role === "notice" ? notice : message));
  },
  async getApiKey() {
    await world.wait();
    world.meddle("getApiKey");
    world.stumble("getApiKey");
    return "key";
  },
  async beforeToolCall() {
    await world.wait();
    world.meddle("beforeToolCall");
    if (world.random.oneIn(20)) throw new Error("not now");
    const [block, terminate] = [world.random.oneIn(6), world.random.oneIn(3)];
    return world.random.oneIn(3) ? { block, terminate } : undefined;
  },
  async afterToolCall() {
    await world.wait();
    world.meddle("afterToolCall");
    if (world.random.oneIn(20)) throw new Error("spoiled");
    if (!world.random.oneIn(4)) return undefined;
    return { content: [{ type: "text", text: "changed" }], terminate: world.random.oneIn(2) };
  },
  async finishTurn() {
    world.meddle("finishTurn");
    world.stumble("finishTurn");
    const what = world.random.below(12);
    if (what === 0) return { action: "end" };
    return what === 1 && world.requests < 6 ? { action: "continue" } : undefined;
  },
  async shouldStopAfterTurn() {
    world.stumble("shouldStopAfterTurn");
    return world.random.oneIn(15);
  },
});
