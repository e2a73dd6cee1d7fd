// A JavaScript side for tests/web.rs: the environment of the executor, and run objects whose methods do just enough
// for one conversation. `log` keeps what was called, in order.

/** What `install` gets: `settle` is the entry into the module. */
export const makeEnv = (settle) => ({
  watch(promise, key) {
    promise.then(
      (value) => settle(key, true, value),
      (reason) => settle(key, false, reason),
    );
  },
});

/** The names of the operations by number, see {@link readOperations}. */
let operations = [];

/** Reads them from the source of the module's side. */
export function readOperations(source) {
  const [, variants] = /enum Op \{([^}]*)\}/.exec(source);
  operations = [...variants.matchAll(/^ *(\w)(\w*),/gm)].map(([, first, rest]) => first.toLowerCase() + rest);
}

/** Resolves from outside, so that a test decides when a tool ends. */
export function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}

/**
 * A run object. `answers` are the messages the model gives, one per request; `tools` maps a name to a function of
 * the arguments. `over` replaces methods. `done` settles with what `finish` was told.
 */
export function makeRun({ answers = [], tools = {}, over = {} } = {}) {
  const log = [];
  const end = deferred();
  const note = (entry, value) => {
    log.push(entry);
    return value;
  };
  const delivered = (entry) => note(entry, Promise.resolve());
  const replies = [...answers];
  const run = {
    log,
    operate: (op, ...given) => run[operations[op]](...given),
    done: end.promise,
    seen: {},
    aborted: () => false,
    agentStart: () => delivered("agent_start"),
    turnStart: () => delivered("turn_start"),
    messageStart: () => delivered("message_start"),
    messageEnd(message) {
      (run.seen.messages ??= []).push(message);
      return delivered("message_end");
    },
    toolStart: (call) => delivered(`tool_start ${call.id}`),
    toolEnd: (call, _result, isError) => delivered(`tool_end ${call.id}${isError ? " failed" : ""}`),
    turnEnd: () => delivered("turn_end"),
    agentEnd(messages) {
      run.seen.added = messages;
      return delivered("agent_end");
    },
    list: () => [],
    lengthOf: (list) => list.length,
    item: (list, index) => list[index],
    push: (list, message) => void list.push(message),
    append: (context, message) => void context.messages.push(message),
    extended: (context, more) => ({ ...context, messages: [...context.messages, ...more] }),
    shared: (context) => ({ ...context }),
    declared: (_context, _prepared, pending) => pending,
    chooseStreamFn: () => {},
    transformContext: (context) => context.messages,
    convertToLlm: (messages) => messages,
    resolveApiKey: () => undefined,
    stream(context) {
      const answer = replies.shift();
      context.messages.push(answer);
      return note("request", Promise.resolve(answer));
    },
    outcomeOf: () => 0,
    toolCalls: (message) => message.calls ?? [],
    steering: () => [],
    followUps: () => [],
    prepareNextTurn: () => undefined,
    prepareRequest: () => undefined,
    finishTurn: () => 0,
    shouldStop: () => false,
    sequential: () => false,
    findTool: (_context, call) => tools[call.name],
    toolSequential: () => false,
    arguments: (_tool, call) => call.arguments,
    beforeToolCall: () => undefined,
    execute: async (tool, _call, args) => {
      try {
        return [true, await tool(args), 1];
      } catch (thrown) {
        return [false, thrown, 1];
      }
    },
    reportsError: () => false,
    afterToolCall: () => undefined,
    terminates: () => false,
    errorResult: (kind, subject) => ({ kind, subject }),
    resultMessage(call, result, isError) {
      (run.seen.results ??= []).push(result);
      return { role: "toolResult", id: call.id, result, isError };
    },
    outcome: (call, result, isError) => ({ call, result, isError }),
    finish(ok, value) {
      log.push(ok ? "finished" : "failed");
      end.resolve({ ok, value });
    },
    ...over,
  };
  return run;
}

/** A run that makes every method take part: two calls in one answer, one of an unknown tool, then an answer. */
export function thoroughRun(over) {
  const calls = [
    { id: "c1", name: "echo", arguments: { v: 1 } },
    { id: "c2", name: "nobody", arguments: {} },
  ];
  return makeRun({ answers: [{ calls }, {}], tools: { echo: (args) => args }, over });
}

/** `thoroughRun` with one method that throws `thrown`, at once or by its promise. */
export function brokenRun(method, thrown, later) {
  return thoroughRun({
    [method]() {
      if (later) return Promise.reject(thrown);
      throw thrown;
    },
  });
}

/** A run whose `turn_start` begins `inner` by calling back into the module. */
export function nestingRun(begin) {
  const run = makeRun({ answers: [{}] });
  const turnStart = run.turnStart;
  run.turnStart = () => {
    begin();
    return turnStart();
  };
  return run;
}

/** Two tools that end when the test says so; the second one is released first. */
export function racingRun() {
  const gates = { slow: deferred(), quick: deferred() };
  const calls = [
    { id: "c1", name: "slow" },
    { id: "c2", name: "quick" },
  ];
  const tools = { slow: () => gates.slow.promise, quick: () => gates.quick.promise };
  const run = makeRun({ answers: [{ calls }, {}], tools });
  const toolEnd = run.toolEnd;
  run.toolEnd = (call, ...rest) => {
    if (call.id === "c2") gates.slow.resolve("slow");
    return toolEnd(call, ...rest);
  };
  gates.quick.resolve("quick");
  return run;
}

export const context = (...messages) => ({ messages });
export const logOf = (run) => run.log.join(", ");
export const doneOf = (run) => run.done;
/** `===` for values that Rust only holds handles of. */
export const field = (object, path) => path.split(".").reduce((value, key) => value[key], object);
