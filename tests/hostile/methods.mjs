// What is called in each place: every method of an agent and every setter of its state, with what may come of it.
import { user } from "./world.mjs";

/** Calls `act`, which must throw an error with this code. */
function throws(act, code) {
  try {
    act();
  } catch (error) {
    if (error?.code === code) return;
    throw error;
  }
  throw new Error(`did not throw ${code}`);
}

/** The promise of a call that is refused during a run, and allowed otherwise. */
async function busy(promise, active) {
  try {
    await promise;
  } catch (error) {
    if (active && error?.code === "busy") return;
    if (!active && error?.code === "invalid_request") return;
    throw error;
  }
  if (active) throw new Error("did not reject with busy");
}

/**
 * `call(agent, cell)` is made while a run is in progress, unless `cell.active` is false. What it throws fails the cell;
 * `cell.later` collects promises that must fulfil, `cell.after` checks for when everything is over. `cell.testing` is the
 * entry `steersman/testing`.
 */
export const methods = {
  prompt: (agent, cell) => cell.later.push(busy(agent.prompt("inner"), cell.active)),
  continue: (agent, cell) => cell.later.push(busy(agent.continue(), cell.active)),
  stream(agent, cell) {
    const stream = agent.stream("inner");
    cell.later.push(busy(stream.result(), cell.active));
  },
  send: (agent, cell) => cell.later.push(agent.send("sent").settled),
  steer(agent, cell) {
    cell.receipts.push(agent.steer(user("steered")));
  },
  followUp(agent, cell) {
    cell.receipts.push(agent.followUp(user("followed")));
  },
  abort: (agent) => agent.abort(),
  "abort(reason)": (agent) => agent.abort(new Proxy({}, { get: () => assertNoRead() })),
  reset(agent, cell) {
    if (cell.active) throws(() => agent.reset(), "busy");
    else agent.reset();
  },
  subscribe(agent, cell) {
    const late = [];
    agent.subscribe((event) => void late.push(event));
    cell.after.push((events) => {
      const from = events.length - late.length;
      if (!late.every((event, i) => event === events[from + i]))
        throw new Error("the new listener missed events");
    });
  },
  "unsubscribe another listener": (_agent, cell) => {
    cell.unsubscribe();
    const seen = cell.other.length;
    cell.after.push(() => {
      if (cell.other.length !== seen) throw new Error("a removed listener was called");
    });
  },
  events(agent, cell) {
    const iterator = agent.events();
    cell.later.push(iterator.next().then(() => iterator.return()));
  },
  dispose: (agent) => agent.dispose(),
  waitForIdle: (agent, cell) => cell.later.push(agent.waitForIdle()),
  "approve and deny": (agent) => {
    // Nothing has such an id.
    if (agent.approve("x") || agent.deny("x")) throw new Error("an answer to no request counted");
  },
  clearAllQueues: (agent) => agent.clearAllQueues(),
  "read everything"(agent) {
    JSON.stringify([
      agent.usage,
      agent.state.isStreaming,
      agent.peekQueuedMessages(),
      agent.hasQueuedMessages(),
    ]);
    return [agent.signal, agent.state.streamingMessage, agent.state.pendingToolCalls, { ...agent.state }];
  },
  "crash by a panic": (_agent, { testing }) => testing.crashEngine("panic"),
  "crash by a stack overflow": (_agent, { testing }) => testing.crashEngine("stack"),
  "state.messages =": (agent) => {
    agent.state.messages = agent.state.messages.slice(-1);
  },
  "state.messages.length = 0": (agent) => {
    agent.state.messages.length = 0;
  },
  "state.tools =": (agent) => {
    agent.state.tools = [];
  },
  "state.model =": (agent) => {
    agent.state.model = { ...agent.state.model };
  },
  "state.thinkingLevel =": (agent) => {
    agent.state.thinkingLevel = "high";
  },
  "steeringMode =": (agent) => {
    agent.steeringMode = "all";
    agent.followUpMode = "all";
  },
};

function assertNoRead() {
  throw new Error("the reason of an abort is nobody's business");
}
