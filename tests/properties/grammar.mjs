// The order in which the events of a run may come; the rules of grammar.rs.

/** Beginning of every failure that a schedule injects. */
export const INJECTED = "injected";

const failed = ({ stopReason }) => stopReason === "error" || stopReason === "aborted";

/** Follows the events of one prompt. */
export class Grammar {
  /** Something was made to fail: the run may break off and end with its closing events. */
  failing = false;
  /** Complete loops. */
  loops = 0;
  agentEnds = 0;
  #phase = { name: "no run" };
  #closing = false;
  #everyCall;

  /** @param everyCall the rules of 1.6.0: every call of a batch is recorded, whatever happens */
  constructor(everyCall) {
    this.#everyCall = everyCall;
  }

  /** Whether the run may be over now. */
  get complete() {
    return this.#phase.name === "no run" && this.agentEnds > 0;
  }

  /** Takes an event; gives a problem in words, or undefined. */
  step(event) {
    if (event.type === "agent_end") this.agentEnds++;
    if (this.failing && !this.#closing && beginsClosing(event)) {
      this.#closing = true;
      this.#phase = { name: "closing", seen: 1 };
      return undefined;
    }
    const before = this.#phase;
    const next = this.#next(before, event);
    this.#phase = next ?? { name: "no run" };
    return next ? undefined : `${event.type} in ${before.name}`;
  }

  #next(phase, event) {
    const { message } = event;
    switch (phase.name) {
      case "no run":
        return event.type === "agent_start" && !this.#closing ? { name: "begun" } : undefined;
      case "begun":
        return event.type === "turn_start" ? { name: "turn" } : undefined;
      case "turn":
        if (event.type !== "message_start" || message.role === "toolResult") return undefined;
        return message.role === "assistant" ? { name: "answering" } : { name: "entering", message };
      case "entering":
        return event.type === "message_end" && message === phase.message ? { name: "turn" } : undefined;
      case "answering":
        // A second start of the stream begins the answer anew.
        if (
          event.type === "message_update" ||
          (event.type === "message_start" && message.role === "assistant")
        ) {
          return phase;
        }
        return event.type === "message_end" && message.role === "assistant" ? batchOf(message) : undefined;
      case "batch":
        if (event.type !== "turn_end") return stepBatch(phase, event) ? phase : undefined;
        return this.#isComplete(phase) ? { name: "after a turn", failed: phase.failed } : undefined;
      case "after a turn":
        if (event.type === "turn_start" && !phase.failed) return { name: "turn" };
        if (event.type !== "agent_end") return undefined;
        this.loops++;
        return { name: "no run" };
      case "closing":
        return closing(phase, event);
      default:
        return undefined;
    }
  }

  #isComplete({ calls, started, ended, results, result }) {
    const all = this.#everyCall ? results === calls.length : results === started;
    return all && result === undefined && ended.slice(0, started).every(Boolean);
  }
}

/** The message that tells of a failure. */
function beginsClosing({ type, message }) {
  return type === "message_start" && message.errorMessage?.startsWith(INJECTED) === true;
}

function closing({ seen }, { type, toolResults, messages }) {
  if (seen === 1 && type === "message_end") return { name: "closing", seen: 2 };
  if (seen === 2 && type === "turn_end" && toolResults.length === 0) return { name: "closing", seen: 3 };
  return seen === 3 && type === "agent_end" && messages.length === 1 ? { name: "no run" } : undefined;
}

function batchOf(message) {
  const calls = failed(message) ? [] : message.content.filter(({ type }) => type === "toolCall");
  const ended = calls.map(() => false);
  return { name: "batch", calls, ended, started: 0, results: 0, result: undefined, failed: failed(message) };
}

/** Calls may share an id, so an event belongs to the first call of that id that fits. */
function stepBatch(batch, event) {
  const running = () =>
    batch.calls.findIndex((call, i) => call.id === event.toolCallId && i < batch.started && !batch.ended[i]);
  switch (event.type) {
    case "tool_execution_start":
      if (batch.result !== undefined || batch.calls[batch.started]?.id !== event.toolCallId) return false;
      batch.started++;
      return true;
    case "tool_execution_update":
      return running() >= 0;
    case "tool_execution_end": {
      const place = running();
      if (place >= 0) batch.ended[place] = true;
      return place >= 0;
    }
    case "message_start": {
      const due = batch.calls[batch.results];
      const fits = event.message.role === "toolResult" && due?.id === event.message.toolCallId;
      if (!fits || batch.result !== undefined || !batch.ended.some(Boolean)) return false;
      batch.result = event.message;
      return true;
    }
    case "message_end":
      if (batch.result !== event.message) return false;
      batch.result = undefined;
      batch.results++;
      return true;
    default:
      return false;
  }
}
