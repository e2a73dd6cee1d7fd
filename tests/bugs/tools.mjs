// Tools of cases, made from the behaviour they describe.
import vm from "node:vm";
import { Keys } from "./keys.mjs";

const cyclic = () => {
  const value = { why: "cyclic" };
  value.self = value;
  return value;
};

/** What a tool of the case throws, in words. */
function thrown(text) {
  if (text === "cyclic") return cyclic();
  if (text.startsWith("DOMException:")) return new DOMException("", text.slice(13));
  return vm.runInThisContext(`(${text})`);
}

/**
 * @param later called with a delay and an action: how a tool waits
 * @param onStart called with the id when a tool begins to work
 * @param act called with the tool's `calls_back` methods
 */
export function caseTool(description, { later, onStart, act, log }) {
  const keys = new Keys(description, "tool");
  const name = keys.get("name");
  const delay = keys.get("delay_ms", 0);
  const result = keys.get("result", "ok");
  const terminate = keys.get("terminate");
  const never = keys.get("never_resolves", false);
  const updates = keys.get("late_updates_ms", []);
  const throws = keys.get("throws_sequence")?.slice();
  const returns = keys.get("returns_sequence")?.slice();
  const callsBack = keys.get("calls_back", []);
  keys.get("counts");
  keys.done();
  return {
    ...{ name, label: name, description: name, parameters: { type: "object", properties: {} } },
    async execute(id, args, _signal, onUpdate) {
      log.executions.push(id);
      log.received.push(args);
      onStart(id);
      for (const method of callsBack) act(method);
      for (const ms of updates) {
        later(ms, () => {
          log.lateUpdates++;
          onUpdate({ content: [{ type: "text", text: "late" }], details: {} });
        });
      }
      if (never) await new Promise(() => {});
      if (delay > 0) await new Promise((resolve) => later(delay, resolve));
      if (throws) throw thrown(throws.shift());
      if (returns) return vm.runInThisContext(`(${returns.shift()})`);
      return { content: [{ type: "text", text: result }], details: {}, ...(terminate && { terminate }) };
    },
  };
}
