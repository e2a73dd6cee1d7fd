// Every place where code of the application runs while a run is in progress. `install(world, act)` changes the parts of
// an agent so that `act` is called there.
import { streamed } from "./provider.mjs";
import { kindOf, put } from "./world.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }], details: {} });

/** An object whose `name` is a getter that calls `act`. */
const getter = (target, name, act, value = target[name]) =>
  Object.defineProperty(target, name, {
    enumerable: true,
    configurable: true,
    get() {
      act();
      return value;
    },
  });

/** A thenable that calls `act` when it is awaited. */
const thenable = (act, value) => ({ then: (resolve) => (act(), resolve(value)) });

const EVENTS = [
  "agent_start",
  "turn_start",
  "message_start user",
  "message_end user",
  "message_start assistant",
  "message_update",
  "message_end assistant",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "message_start toolResult",
  "message_end toolResult",
  "turn_end",
  "agent_end",
];

const FAILURE_EVENTS = ["message_start failed", "message_end failed", "turn_end failed", "agent_end"];

const HOOKS = [
  "convertToLlm",
  "transformContext",
  "getApiKey",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareRequest",
  "shouldStopAfterTurn",
  "prepareNextTurn",
  "prepareNextTurnWithContext",
];

/** Makes the second request fail, so that the run closes with the events of a failure. */
const fail = (world, thrown = new Error("no model")) => {
  world.answers[1] = () => {
    throw thrown;
  };
};

const onEvent = (kind, act) => (event) => {
  if (kindOf(event) === kind) act();
};

/** Wraps the events of each response. */
const eachEvent = (world, change) => {
  world.response = (response) => ({
    result: () => response.result(),
    async *[Symbol.asyncIterator]() {
      for await (const event of response) yield change(event);
    },
  });
};

/** What the final message of each response looks like. */
const eachFinal = (world, change) => {
  world.response = (response) => ({
    [Symbol.asyncIterator]: () => response[Symbol.asyncIterator](),
    result: async () => change(await response.result()),
  });
};

const place = (name, install) => ({ name, install });

/** Ends only by what it does itself, so that it cannot be mixed with another place. */
const alone = (name, install) => ({ name, install, alone: true });

export const places = [
  ...EVENTS.map((kind) =>
    place(`event ${kind}`, (world, act) => {
      world.listener = onEvent(kind, act);
    }),
  ),
  ...FAILURE_EVENTS.map((kind) =>
    place(`failed run, event ${kind}`, (world, act) => {
      fail(world);
      world.listener = onEvent(kind, act);
    }),
  ),
  place("event message_update, after an await", (world, act) => {
    world.listener = async (event) => {
      await null;
      onEvent("message_update", act)(event);
    };
  }),
  place("listener, before it throws", (world, act) => {
    world.listener = (event) => {
      if (kindOf(event) !== "tool_execution_end" || world.thrown) return;
      world.thrown = true;
      act();
      throw new Error("listener");
    };
  }),

  ...HOOKS.map((hook) =>
    place(`hook ${hook}`, (world, act) => {
      const before = world.options[hook];
      world.options[hook] = (...args) => {
        act();
        return before?.(...args);
      };
    }),
  ),
  place("hook onError", (world, act) => {
    fail(world);
    world.options.onError = act;
  }),
  place("hook beforeToolCall, before it throws", (world, act) => {
    world.options.beforeToolCall = () => {
      act();
      throw new Error("hook");
    };
  }),
  place("hook transformContext, before it throws", (world, act) => {
    let first = true;
    world.options.transformContext = (messages) => {
      if (!first) return messages;
      first = false;
      act();
      throw new Error("hook");
    };
  }),
  place("hook convertToLlm, after an await", (world, act) => {
    world.options.convertToLlm = async (messages) => {
      await null;
      act();
      return messages;
    };
  }),

  place("tool", (world, act) => {
    world.execute = () => (act(), text("ok"));
  }),
  place("tool, after an await", (world, act) => {
    world.execute = async () => {
      await null;
      act();
      return text("ok");
    };
  }),
  place("tool, before it throws", (world, act) => {
    world.execute = () => {
      act();
      throw new Error("tool");
    };
  }),
  place("tool, after onUpdate", (world, act) => {
    world.execute = (_signal, onUpdate) => {
      onUpdate(text("half"));
      act();
      onUpdate(text("more"));
      return text("ok");
    };
  }),
  place("tool, while another one runs", (world, act) => {
    world.answers[0].push({ type: "toolCall", id: "k2", name: "t", arguments: {} });
    let running = 0;
    world.execute = async () => {
      running++;
      await null;
      if (running === 2) act();
      return text("ok");
    };
  }),
  place("prepareArguments", (world, act) => {
    world.tool.prepareArguments = (args) => (act(), args);
  }),
  place("validate of a Standard Schema", (world, act) => {
    const validate = (value) => (act(), { value });
    world.tool.parameters = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate,
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    };
  }),

  place("stream function", (world, act) => {
    world.response = (response) => (act(), response);
  }),
  place("iterator of a response", (world, act) => {
    world.response = (response) => ({
      result: () => response.result(),
      [Symbol.asyncIterator]: () => (act(), response[Symbol.asyncIterator]()),
    });
  }),
  place("next() of a response", (world, act) => {
    eachEvent(world, (event) => (event.type === "text_delta" && act(), event));
  }),
  place("return() of a response", (world, act) => {
    world.response = (response) => ({
      result: () => response.result(),
      [Symbol.asyncIterator]() {
        const inner = response[Symbol.asyncIterator]();
        return { next: () => inner.next(), return: () => (act(), inner.return()) };
      },
    });
  }),
  place("result() of a response", (world, act) => {
    eachFinal(world, (message) => (act(), message));
  }),

  place("getter of a stream event", (world, act) => {
    eachEvent(world, (event) => getter({ ...event }, "type", act, event.type));
  }),
  ...["stopReason", "content", "role", "errorMessage"].map((name) =>
    place(`getter of an answer: ${name}`, (world, act) => {
      eachFinal(world, (message) => getter({ ...message }, name, act, message[name]));
    }),
  ),
  ...["type", "id", "name", "arguments"].map((name) =>
    place(`getter of a tool call: ${name}`, (world, act) => {
      world.answers[0][1] = getter({ ...world.answers[0][1] }, name, act);
    }),
  ),
  place("getter of a prompt: role", (world, act) => {
    world.prompt = getter({ role: "user", content: "go", timestamp: 1 }, "role", act);
  }),
  place("getter of a queued message: role", (world, act) => {
    world.queued = getter({ role: "user", content: "queued", timestamp: 1 }, "role", act);
  }),
  ...["name", "parameters", "execute", "executionMode", "prepareArguments"].map((name) =>
    place(`getter of a tool: ${name}`, (world, act) => {
      world.made = () => getter(world.tool, name, act);
    }),
  ),
  place("getter of the arguments", (world, act) => {
    put(world.answers[0][1], "arguments", getter({ a: 1 }, "a", act));
  }),
  place("getter of a schema", (world, act) => {
    world.made = () => {
      put(world.tool, "parameters", getter({ type: "object", properties: {} }, "type", act));
    };
  }),
  ...["content", "details", "isError", "terminate", "usage"].map((name) =>
    place(`getter of a tool result: ${name}`, (world, act) => {
      world.execute = () => getter({ ...text("ok") }, name, act);
    }),
  ),
  ...["id", "provider", "api"].map((name) =>
    place(`getter of the model: ${name}`, (world, act) => {
      // Also a failing run reads it.
      fail(world);
      world.state.model = getter({ ...world.state.model }, name, act);
    }),
  ),
  ...["transformContext", "getApiKey", "toolExecution", "beforeToolCall", "finishTurn"].map((name) =>
    place(`getter of an option: ${name}`, (world, act) => {
      world.made = (agent) => getter(agent, name, act);
    }),
  ),
  ...[
    ["beforeToolCall", "block", false],
    ["afterToolCall", "content", undefined],
    ["finishTurn", "action", "normal"],
    ["prepareRequest", "model", undefined],
    ["prepareNextTurn", "thinkingLevel", undefined],
  ].map(([hook, name, value]) =>
    place(`getter of what ${hook} gives: ${name}`, (world, act) => {
      world.options[hook] = () => getter({}, name, act, value);
    }),
  ),
  place("trap of a proxy for the tool", (world, act) => {
    world.made = (agent) => {
      const get = (target, name) => (act(), target[name]);
      agent.state.tools = [new Proxy(world.tool, { get })];
    };
  }),

  place("abort listener", (world, act) => {
    world.execute = (signal) => {
      signal.addEventListener("abort", act);
      world.agent.abort();
      return text("ok");
    };
  }),
  place("abort listener of the request", (world, act) => {
    world.response = (response) => {
      world.requests.at(-1).options.signal.addEventListener("abort", act);
      return response;
    };
    world.listener = onEvent("message_update", () => world.agent.abort());
  }),
  place("toString of what a tool throws", (world, act) => {
    world.execute = () => {
      throw { toString: () => (act(), "thrown") };
    };
  }),
  place("message of what a hook throws", (world, act) => {
    world.options.afterToolCall = () => {
      throw getter(new Error("thrown"), "message", act, "thrown");
    };
  }),
  place("toString of what the stream function throws", (world, act) => {
    fail(world, { toString: () => (act(), "thrown") });
  }),
  place("trap of a proxy that is thrown", (world, act) => {
    fail(
      world,
      new Proxy(new Error("thrown"), {
        get(target, name) {
          act();
          return target[name];
        },
        getPrototypeOf: () => (act(), Error.prototype),
      }),
    );
  }),

  place("thenable of a listener", (world, act) => {
    world.listener = (event) => (kindOf(event) === "message_update" ? thenable(act) : undefined);
  }),
  place("thenable of a hook", (world, act) => {
    world.options.convertToLlm = (messages) => thenable(act, messages);
  }),
  place("thenable of a tool", (world, act) => {
    world.tool.execute = () => thenable(act, text("ok"));
  }),
  place("thenable of the stream function", (world, act) => {
    world.response = (response) => thenable(act, response);
  }),

  ...["onPayload", "onResponse"].map((name) =>
    place(`streamSimple, hook ${name}`, (world, act) => {
      world.http = { [name]: () => void act() };
    }),
  ),
  place("streamSimple, fetch", (world, act) => {
    world.http = { fetch: (fetch) => (url, init) => (act(), fetch(url, init)) };
  }),
  place("streamSimple, event message_update", (world, act) => {
    world.http = {};
    world.listener = onEvent("message_update", act);
  }),
  place("streamSimple, pull of a body", (world, act) => {
    const after = (controller) => (act(), controller.close());
    world.http = { fetch: () => async () => streamed(["data: {}\n\n"], { after }) };
  }),
  alone("streamSimple, cancel of a body", (world, act) => {
    const pieces = [`data: {"choices":[{"delta":{"content":"x"}}]}\n\n`];
    world.http = {
      fetch: () => async () => streamed(pieces, { after: () => new Promise(() => {}), onCancel: act }),
    };
    world.listener = onEvent("message_update", () => world.agent.abort());
  }),
  place("streamSimple, abort listener of the request", (world, act) => {
    world.http = {
      fetch: () => (_url, init) => {
        init.signal.addEventListener("abort", act);
        world.agent.abort();
        return new Promise(() => {});
      },
    };
  }),
  ...["status", "headers", "body"].map((name) =>
    place(`streamSimple, getter of a response: ${name}`, (world, act) => {
      world.http = {
        fetch: (fetch) => async (url, init) => {
          const response = await fetch(url, init);
          return getter(response, name, act, response[name]);
        },
      };
    }),
  ),

  alone("event tool_approval_request", (world, act) => {
    world.tool.approval = true;
    world.listener = (event) => {
      if (event.type !== "tool_approval_request") return;
      act();
      world.agent.approve(event.id);
    };
  }),
  place("approval of a tool", (world, act) => {
    world.tool.approval = () => (act(), false);
  }),
  place("approval of a tool, before it throws", (world, act) => {
    world.tool.approval = () => {
      act();
      throw new Error("approval");
    };
  }),
  place("tool, under limits", (world, act) => {
    world.options.limits = { maxTurns: 9, maxToolCalls: 9, maxTokens: 1e6, maxCost: 9 };
    world.options.toolConcurrency = 1;
    world.execute = () => (act(), text("ok"));
  }),
  place("event turn_end, of a run over its limit", (world, act) => {
    world.options.limits = { maxTurns: 1 };
    world.listener = onEvent("turn_end", act);
  }),
  place("tool, with steering between tools", (world, act) => {
    world.options.toolExecution = "sequential";
    world.options.steering = "tool-boundary";
    world.answers[0].push({ type: "toolCall", id: "k2", name: "t", arguments: {} });
    world.execute = () => (act(), text("ok"));
  }),

  place("consumer of events()", (world, act) => {
    world.made = (agent) => {
      world.extra = (async () => {
        for await (const event of agent.events()) {
          if (event.type === "tool_execution_end") act();
          if (event.type === "agent_end") return;
        }
      })();
    };
  }),
  place("receipt of a steering message", (world, act) => {
    world.queued = { role: "user", content: "queued", timestamp: 1 };
    world.receipt = (receipt) => {
      world.extra = receipt.settled.then(act);
    };
  }),
];
