import { CallFailure, type StartCall } from "./call.js";
import { LinkedAbort, within } from "./within.js";

/**
 * Holds a tool to its time, and to the time it has left once the run is aborted. Without `toolMs` the tool gets the
 * run's own signal.
 */
export function withToolTime(
  toolMs: number | undefined,
  graceMs: number | undefined,
  start: StartCall,
): StartCall {
  return (input) => {
    const { signal } = input;
    const aborted = () => CallFailure.aborted(true);
    if (toolMs === undefined) return within(() => start(input), { late: aborted, signal, graceMs, aborted });
    const own = new LinkedAbort(signal);
    const late = () => {
      const failure = new CallFailure(
        `Tool timed out after ${toolMs} ms (limits.toolMs)`,
        { code: "tool_timeout" },
        true,
      );
      own.abort(failure);
      return failure;
    };
    const bounds = { ms: toolMs, late, signal, graceMs, aborted };
    return within(() => start({ ...input, signal: own.signal }), bounds).finally(() => own.release());
  };
}
