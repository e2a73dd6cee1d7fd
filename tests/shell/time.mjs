// Time that only passes when a test says so: timers, Date and performance.now() together.

/** @param t the test's context; real time is back when the test is over */
export function fakeTime(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.mock.method(performance, "now", () => Date.now());
  return {
    /** Lets everything that is due go on, then some time pass, then everything again. */
    async pass(ms) {
      await settled();
      t.mock.timers.tick(ms);
      await settled();
    },
  };
}

/** Resolves when all promises that can settle without time or input have settled. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A promise to settle by hand. */
export function deferred() {
  let resolve;
  let reject;
  const promise = new Promise((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** A listener that writes down what happens, shortly. */
export function recorder() {
  const events = [];
  const listener = (event) => {
    if (event.type === "message_end") events.push(`message ${event.message.role}`);
    else if (event.type.startsWith("tool_"))
      events.push(`${event.type.replace("tool_", "")} ${event.toolCallId}`);
    else if (!event.type.startsWith("message_")) events.push(event.type);
  };
  return { events, listener };
}
