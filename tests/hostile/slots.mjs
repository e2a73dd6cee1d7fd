// Every place where the package takes a value from the application. `fill(world, value)` changes the parts of an agent so
// that `value()` gets there.
import { streamed } from "./provider.mjs";
import { kindOf, put } from "./world.mjs";

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

/** Calls `act` the first time only, so that the closing events of a failure are not hit as well. */
const once = (act, otherwise = () => undefined) => {
  let first = true;
  return (...args) => {
    if (!first) return otherwise(...args);
    first = false;
    return act(...args);
  };
};

const raise = (value) => () => {
  throw value();
};

const same = (messages) => messages;

const slot = (name, fill) => ({ name, fill });

/** Changes the final message of the first answer. */
const final = (change) => (world, value) => {
  let first = true;
  world.response = (response) => ({
    [Symbol.asyncIterator]: () => response[Symbol.asyncIterator](),
    async result() {
      const message = await response.result();
      if (!first) return message;
      first = false;
      return change(message, value());
    },
  });
};

const inCall = (name) => (world, value) => {
  world.answers[0][1] = { ...world.answers[0][1], [name]: value() };
};

const inTool = (name) => (world, value) => {
  world.made = (agent) => {
    agent.state.tools = [{ ...world.tool, [name]: value() }];
  };
};

export const slots = [
  ...HOOKS.map((hook) =>
    slot(`${hook} returns`, (world, value) => {
      world.options[hook] = once(
        value,
        hook === "convertToLlm" || hook === "transformContext" ? same : undefined,
      );
    }),
  ),
  ...HOOKS.map((hook) =>
    slot(`${hook} throws`, (world, value) => {
      world.options[hook] = once(
        raise(value),
        hook === "convertToLlm" || hook === "transformContext" ? same : undefined,
      );
    }),
  ),
  ...HOOKS.map((hook) =>
    slot(`${hook} is`, (world, value) => {
      world.made = (agent) => {
        put(agent, hook, value());
      };
    }),
  ),
  ...["message_update", "tool_execution_end", "agent_end"].flatMap((kind) => [
    slot(`listener returns at ${kind}`, (world, value) => {
      // It may be a promise that rejects.
      world.endBroken = kind === "agent_end";
      const act = once(value);
      world.listener = (event) => (kindOf(event) === kind ? act() : undefined);
    }),
    slot(`listener throws at ${kind}`, (world, value) => {
      world.endBroken = kind === "agent_end";
      const act = once(raise(value));
      world.listener = (event) => (kindOf(event) === kind ? act() : undefined);
    }),
  ]),
  slot("onError throws", (world, value) => {
    world.options.onError = raise(value);
    world.options.prepareRequest = raise(value);
  }),

  slot("tool returns", (world, value) => {
    world.execute = value;
  }),
  slot("tool throws", (world, value) => {
    world.execute = raise(value);
  }),
  slot("tool reports", (world, value) => {
    world.execute = (_signal, onUpdate) => {
      onUpdate(value());
      return { content: [], details: {} };
    };
  }),
  ...["content", "details", "isError", "terminate", "usage", "structuredContent"].map((name) =>
    slot(`result's ${name}`, (world, value) => {
      world.execute = () => ({ content: [{ type: "text", text: "ok" }], details: {}, [name]: value() });
    }),
  ),
  slot("prepareArguments returns", (world, value) => {
    world.tool.prepareArguments = value;
  }),
  slot("prepareArguments throws", (world, value) => {
    world.tool.prepareArguments = raise(value);
  }),
  ...["name", "parameters", "execute", "prepareArguments", "executionMode"].map((name) =>
    slot(`tool's ${name}`, inTool(name)),
  ),
  slot("a tool", (world, value) => {
    world.made = (agent) => {
      agent.state.tools = [value(), world.tool];
    };
  }),
  slot("Standard Schema answers", (world, value) => {
    const jsonSchema = { input: () => ({ type: "object" }) };
    world.tool.parameters = { "~standard": { version: 1, vendor: "test", validate: value, jsonSchema } };
  }),

  slot("stream function returns", (world, value) => {
    world.response = once(value, same);
  }),
  slot("stream function throws", (world, value) => {
    world.response = once(raise(value), same);
  }),
  slot("stream yields", (world, value) => {
    world.response = (response) => ({
      result: () => response.result(),
      async *[Symbol.asyncIterator]() {
        for await (const event of response) {
          if (event.type === "text_delta") yield value();
          yield event;
        }
      },
    });
  }),
  slot("stream breaks with", (world, value) => {
    world.response = once(
      (response) => ({
        result: () => response.result(),
        async *[Symbol.asyncIterator]() {
          for await (const event of response) {
            if (event.type === "text_delta") throw value();
            yield event;
          }
        },
      }),
      same,
    );
  }),
  slot("partial of an update", (world, value) => {
    world.response = (response) => ({
      result: () => response.result(),
      async *[Symbol.asyncIterator]() {
        for await (const event of response) {
          yield event.type === "text_delta" ? { ...event, partial: value() } : event;
        }
      },
    });
  }),
  slot(
    "result() gives",
    final((_message, value) => value),
  ),
  ...["content", "stopReason", "role", "usage", "errorMessage"].map((name) =>
    slot(
      `answer's ${name}`,
      final((message, value) => ({ ...message, [name]: value })),
    ),
  ),
  slot(
    "a block of the answer",
    final((message, value) => ({ ...message, content: [value, ...message.content] })),
  ),
  ...["id", "name", "arguments", "argumentsText"].map((name) => slot(`call's ${name}`, inCall(name))),

  slot("fetch gives", (world, value) => {
    world.http = { fetch: () => async () => value() };
  }),
  slot("fetch throws", (world, value) => {
    world.http = { fetch: () => raise(value) };
  }),
  ...["status", "statusText", "headers", "body", "ok"].map((name) =>
    slot(`response's ${name}`, (world, value) => {
      world.http = {
        fetch:
          (fetch) =>
          async (...args) =>
            put(await fetch(...args), name, value()),
      };
    }),
  ),
  slot("response's content type", (world, value) => {
    const headers = { get: value, [Symbol.iterator]: () => [][Symbol.iterator]() };
    world.http = {
      fetch:
        (fetch) =>
        async (...args) =>
          put(await fetch(...args), "headers", headers),
    };
  }),
  slot("a piece of a body", (world, value) => {
    world.http = {
      fetch: () => async () => {
        const response = streamed([]);
        const pieces = [value()];
        const read = async () => (pieces.length > 0 ? { done: false, value: pieces.pop() } : { done: true });
        const reader = { read, cancel: async () => {}, releaseLock() {} };
        return put(response, "body", { getReader: () => reader, cancel: async () => {} });
      },
    };
  }),
  slot("a body breaks with", (world, value) => {
    world.http = {
      fetch: () => async () => streamed([], { after: (controller) => controller.error(value()) }),
    };
  }),
  ...["onPayload", "onResponse"].flatMap((name) => [
    slot(`${name} returns`, (world, value) => {
      world.http = { [name]: value };
    }),
    slot(`${name} throws`, (world, value) => {
      world.http = { [name]: raise(value) };
    }),
  ]),
  ...["apiKey", "headers", "temperature", "maxTokens", "timeoutMs", "sessionId", "env"].map((name) =>
    slot(`option ${name} of streamSimple`, (world, value) => {
      world.http = { [name]: value() };
    }),
  ),
  slot("approval of a tool is", (world, value) => {
    world.tool.approval = value();
    world.listener = (event) => {
      if (event.type === "tool_approval_request") world.agent.deny(event.id, value());
    };
  }),
  slot("approval of a tool returns", (world, value) => {
    world.tool.approval = value;
    world.listener = (event) => {
      if (event.type === "tool_approval_request" && !world.agent.approve(event.id, value())) {
        world.agent.approve(event.id);
      }
    };
  }),
  slot("approval of a tool throws", (world, value) => {
    world.tool.approval = raise(value);
  }),
  slot("a message of the prompt", (world, value) => {
    world.prompt = [value(), { role: "user", content: "go", timestamp: 1 }];
  }),
  slot("content of the prompt", (world, value) => {
    world.prompt = { role: "user", content: value(), timestamp: 1 };
  }),
  slot("a steering message", (world, value) => {
    world.made = (agent) => void agent.steer(value());
  }),
  slot("a follow-up", (world, value) => {
    world.made = (agent) => void agent.followUp(value());
  }),
  slot("a message of the transcript", (world, value) => {
    world.made = (agent) => void agent.state.messages.push(value());
  }),
  slot("the model", (world, value) => {
    world.made = (agent) => {
      agent.state.model = value();
    };
  }),
  slot("model's provider", (world, value) => {
    world.made = (agent) => {
      agent.state.model = { ...agent.state.model, provider: value(), id: value(), api: value() };
    };
  }),
  ...["toolExecution", "identity", "sessionId", "thinkingBudgets", "transport"].map((name) =>
    slot(`option ${name}`, (world, value) => {
      world.made = (agent) => {
        put(agent, name, value());
      };
    }),
  ),
  // Functions of the package with arguments of no sense. They may throw and reject, but must settle and break nothing.
  ...[
    "isRetryable",
    "isContextOverflow",
    "streamSimple",
    "streamProxy",
    "agentLoop",
    "runAgentLoop",
    "runToolCall",
  ].map((name) =>
    slot(`${name}() with`, (world, value) => {
      world.execute = async () => {
        const shapes = [
          [value(), value(), value(), value()],
          [{ stopReason: value(), errorMessage: value(), provider: value(), usage: value() }, value()],
          [[value()], { messages: [value()], tools: [value()] }, { model: value(), convertToLlm: value() }],
          [
            { id: "k", name: "t", arguments: value() },
            { tools: [value()], context: value(), signal: value() },
          ],
        ];
        for (const shape of shapes) {
          try {
            const given = world.steersman[name](...shape);
            await (typeof given?.result === "function" ? given.result() : given);
          } catch {
            // It says that it cannot do that.
          }
        }
        return { content: [], details: {} };
      };
    }),
  ),
  slot("reason of an abort", (world, value) => {
    world.execute = () => {
      world.agent.abort(value());
      return { content: [], details: {} };
    };
  }),
];
