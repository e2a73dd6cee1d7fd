// Who hears the events.

/** Fields of an event that are objects, by what they are rather than by what they say. */
function brief(world, event) {
  const { trace } = world;
  const ids = (list) => list?.map((item) => trace.id(item));
  const shown = { ...event };
  if ("messages" in event) shown.messages = ids(event.messages);
  if ("toolResults" in event) shown.toolResults = ids(event.toolResults);
  if (event.type === "turn_end") shown.message = trace.id(event.message);
  if (event.assistantMessageEvent) {
    const { partial, message, error, ...rest } = event.assistantMessageEvent;
    shown.assistantMessageEvent = {
      ...rest,
      partial: trace.id(partial),
      event: trace.id(event.assistantMessageEvent),
    };
  }
  for (const field of ["message", "args", "result", "partialResult"]) {
    if (typeof event[field] === "object" && event.type !== "turn_end")
      shown[`${field} is`] = trace.id(event[field]);
  }
  return shown;
}

/** The first listener: writes down everything. */
export function recorder(world, place) {
  return (event, signal) => {
    const { type, ...fields } = brief(world, event);
    const { state } = world.agent ?? {};
    const seen = state && {
      streaming: state.isStreaming && world.trace.id(state.streamingMessage),
      messages: state.messages.length,
      last: world.trace.id(state.messages.at(-1)),
      pending: [...state.pendingToolCalls],
      error: state.errorMessage,
    };
    world.say(type, { ...fields, signal, ...(seen ? { state: seen } : {}) });
    return listen(world, place, event);
  };
}

/** Another one. */
export function moody(world, place) {
  return (event) => {
    world.say(`heard by ${place}`, { type: event.type });
    return listen(world, place, event);
  };
}

function listen(world, place, event) {
  world.ending = event.type === "agent_end";
  const name = world.choices.name(`${place} ${event.type} ${event.toolCallId ?? ""}`);
  if (!world.choices.oneIn(`${name} is moody`, 6)) return undefined;
  return world.callback(name, () => undefined, {
    rarity: othersRun(world, event) ? Number.POSITIVE_INFINITY : 25,
  });
}

/**
 * Whether a failure now would end a run while other calls of the batch are at work. What they still report reaches
 * nobody here, and the closing events of the run, or the next run, in pi.
 */
function othersRun({ agent }, { type, toolCallId }) {
  if (!type.startsWith("tool_execution_") || type === "tool_execution_start") return false;
  const itself = type === "tool_execution_update" ? 1 : 0;
  return !agent || toolCallId === "again" || agent.state.pendingToolCalls.size > itself;
}
