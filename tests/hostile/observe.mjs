// What hostile tests watch, in Node and in a page alike: promises that never settle, rejections that nobody handles,
// and the grammar of events.

/**
 * The next macrotask. All microtasks, and with them all work of a run that waits for nothing outside, come before it. In
 * a page it is one of low priority: a run that has worked for long lets the page breathe, and goes on in such a task.
 */
export const turn = () =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") return void setImmediate(resolve);
    if (globalThis.scheduler) return void scheduler.postTask(resolve, { priority: "background" });
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

/** Turns after which a promise counts as hanging. The runs of these tests wait for nothing that takes longer than one. */
const PATIENCE = 200;

/** `{ok, value}` or `{ok: false, error}` of a promise; throws when it does not settle. */
export async function settled(promise, what) {
  let outcome;
  promise.then(
    (value) => {
      outcome = { ok: true, value };
    },
    (error) => {
      outcome = { ok: false, error };
    },
  );
  for (let turns = 0; outcome === undefined; turns++) {
    if (turns === PATIENCE) throw new Error(`${what} does not settle`);
    await turn();
  }
  return outcome;
}

const unhandled = [];
if (typeof process === "object" && typeof process.on === "function") {
  process.on("unhandledRejection", (reason) => unhandled.push(reason));
} else {
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    unhandled.push(event.reason);
  });
}

/** Rejections that nobody has handled since the last call. */
export async function unhandledRejections() {
  await turn();
  return unhandled.splice(0);
}

/** Text of any value, even of one that fights back. */
export function show(value) {
  try {
    return String(value?.stack ?? value);
  } catch {
    return "(a value that cannot be shown)";
  }
}

const RITUAL = ["message_start", "message_end", "turn_end", "agent_end"];

/**
 * Checks the events of an idle agent against the order that is promised. A run is `agent_start ... agent_end`; a prompt
 * may make several runs. A run in which something threw breaks off anywhere, even before its start, and closes with the
 * four events of a failure; also right after its own `agent_end` when a listener of that threw (`endBroken`).
 *
 * @param signals what came with each event: one per prompt
 * @returns problems in words
 */
export function grammar(events, signals, { endBroken = false } = {}) {
  const problems = [];
  let run = false;
  let ends = 0;
  let turnOpen = false;
  let messageOpen = false;
  let calls = new Map();
  const bad = (index, text) => problems.push(`event ${index} (${events[index].type}): ${text}`);
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (signals[index] !== signals[index - 1]) ends = 0;
    if (isRitual(events, index)) {
      if (!run && ends > 0 && !endBroken) bad(index, "a second end of one run");
      index += RITUAL.length - 1;
      ends++;
      run = turnOpen = false;
      messageOpen = false;
      calls = new Map();
      continue;
    }
    if (!run && event.type !== "agent_start") bad(index, "outside of a run");
    switch (event.type) {
      case "agent_start":
        if (run) bad(index, "inside a run");
        run = true;
        ends = 0;
        break;
      case "turn_start":
        if (turnOpen) bad(index, "inside a turn");
        turnOpen = true;
        break;
      case "message_start":
        if (messageOpen) bad(index, "inside a message");
        messageOpen = true;
        break;
      case "message_update":
        if (!messageOpen) bad(index, "outside of a message");
        break;
      case "message_end":
        if (!messageOpen) bad(index, "without its start");
        messageOpen = false;
        break;
      case "tool_execution_start":
        calls.set(event.toolCallId, (calls.get(event.toolCallId) ?? 0) + 1);
        break;
      case "tool_execution_update":
        if (!calls.get(event.toolCallId)) bad(index, "outside of its call");
        break;
      case "tool_execution_end":
        if (!calls.get(event.toolCallId)) bad(index, "without its start");
        else calls.set(event.toolCallId, calls.get(event.toolCallId) - 1);
        break;
      case "turn_end":
        if (!turnOpen) bad(index, "outside of a turn");
        if (messageOpen) bad(index, "inside a message");
        if ([...calls.values()].some((open) => open > 0)) bad(index, "a call has no end");
        turnOpen = false;
        calls = new Map();
        break;
      case "agent_end":
        if (turnOpen) bad(index, "inside a turn");
        run = false;
        ends++;
        break;
      default:
        break;
    }
  }
  if (run) problems.push("the last run has no agent_end");
  return problems;
}

/** Whether the four events from `index` on are the closing events of a failed run. */
function isRitual(events, index) {
  const four = events.slice(index, index + RITUAL.length);
  if (four.length < RITUAL.length || !four.every(({ type }, i) => type === RITUAL[i])) return false;
  const [start, end, turnEnd] = four;
  const { message } = start;
  return (
    message !== undefined &&
    message === end.message &&
    message === turnEnd.message &&
    turnEnd.toolResults.length === 0 &&
    (message.stopReason === "error" || message.stopReason === "aborted")
  );
}
