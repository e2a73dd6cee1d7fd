// The engine breaks down in the middle of work. What must hold: every run ends with its closing events and says why,
// transcript and queues are as they were, promises that come late change nothing, and the next prompt works.
import { chatModel, provider, sse, streamed } from "./provider.mjs";
import { settled, show, turn, unhandledRejections } from "./observe.mjs";
import { World, call, user } from "./world.mjs";

const RITUAL = ["message_start", "message_end", "turn_end", "agent_end"];

function equal(actual, expected, what) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== e) throw new Error(`${what}: ${a} instead of ${e}`);
}

const roles = (agent) => agent.state.messages.map(({ role }) => role);

/** The run of this world has ended in order because the engine broke down. */
function endedByCrash(world) {
  const { agent, events } = world;
  const last = agent.state.messages.at(-1);
  equal([last.role, last.stopReason], ["assistant", "error"], "last message");
  equal(last.diagnostics?.[0]?.code, "engine_crash", "code");
  if (!last.errorMessage?.startsWith("The engine crashed")) throw new Error(`text: ${last.errorMessage}`);
  equal(agent.state.errorMessage, last.errorMessage, "state.errorMessage");
  equal(
    events.slice(-4).map(({ type }) => type),
    RITUAL,
    "closing events",
  );
  equal(events.filter(({ type }) => type === "agent_end").length, 1, "agent_end events");
  equal([agent.state.isStreaming, agent.state.pendingToolCalls.size], [false, 0], "state");
}

/** The next prompt of this world is answered. */
async function answers(world) {
  const before = world.agent.state.messages.length;
  await world.agent.prompt("and now?");
  const last = world.agent.state.messages.at(-1);
  equal([last.stopReason, last.content[0]?.text], ["stop", "done"], "answer to the next prompt");
  equal(world.agent.state.messages.length, before + 2, "messages of the next prompt");
}

const cases = {
  async "in the middle of a stream"(host, how) {
    const world = new World(host.steersman);
    world.listener = ({ type }) => type === "message_update" && world.crash?.();
    world.crash = () => {
      world.crash = undefined;
      host.testing.crashEngine(how);
    };
    world.make();
    await world.agent.prompt("go");
    endedByCrash(world);
    equal(roles(world.agent), ["system", "user", "assistant"], "transcript");
    await answers(world);
  },

  async "in a tool, which comes back later"(host, how) {
    const world = new World(host.steersman);
    let finish;
    let report;
    world.execute = (_signal, onUpdate) => {
      report = onUpdate;
      queueMicrotask(() => host.testing.crashEngine(how));
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    world.make();
    await world.agent.prompt("go");
    endedByCrash(world);
    const seen = world.events.length;
    report({ content: [], details: {} });
    finish({ content: [{ type: "text", text: "late" }], details: {} });
    await turn();
    equal(world.events.length, seen, "events after a late tool");
    await answers(world);
  },

  async "in a hook, whose answer comes later"(host, how) {
    const world = new World(host.steersman);
    let finish;
    world.options.beforeToolCall = () => {
      queueMicrotask(() => host.testing.crashEngine(how));
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    let executed = false;
    world.execute = () => {
      executed = true;
    };
    world.make();
    await world.agent.prompt("go");
    endedByCrash(world);
    finish(undefined);
    await turn();
    equal(executed, false, "the tool of a crashed run was executed");
    await answers(world);
  },

  async "in an approval check, which answers while the run closes: nobody is asked"(host, how) {
    const world = new World(host.steersman);
    let decide;
    world.tool.approval = () => {
      host.testing.crashEngine(how);
      return new Promise((resolve) => {
        decide = resolve;
      });
    };
    world.listener = async ({ type, message }) => {
      if (type !== "message_start" || message.stopReason !== "error") return;
      decide(true);
      await turn();
    };
    world.make();
    await world.agent.prompt("go");
    endedByCrash(world);
    equal(world.agent.pendingApprovals.length, 0, "pending approvals");
    await answers(world);
  },

  async "the signal of what was started fires"(host, how) {
    const world = new World(host.steersman);
    let aborted = 0;
    world.execute = (signal) => {
      signal.addEventListener("abort", () => aborted++);
      queueMicrotask(() => host.testing.crashEngine(how));
      return new Promise(() => {});
    };
    world.make();
    await world.agent.prompt("go");
    equal(aborted, 1, "abort events");
  },

  async "a stream is let go"(host, how) {
    const world = new World(host.steersman);
    let left = 0;
    world.response = (response) => ({
      result: () => response.result(),
      [Symbol.asyncIterator]() {
        const inner = response[Symbol.asyncIterator]();
        return {
          async next() {
            const step = await inner.next();
            if (step.value?.type === "text_delta") queueMicrotask(() => host.testing.crashEngine(how));
            return step;
          },
          return: () => (left++, inner.return()),
        };
      },
    });
    world.make();
    await world.agent.prompt("go");
    await turn();
    endedByCrash(world);
    equal(left, 1, "calls of return()");
  },

  async "queues and transcript stay"(host, how) {
    const world = new World(host.steersman);
    world.execute = () => {
      world.agent.steer(user("S"));
      world.agent.followUp(user("F"));
      host.testing.crashEngine(how);
      return { content: [], details: {} };
    };
    world.make();
    world.agent.state.messages = [user("before")];
    await world.agent.prompt("go");
    endedByCrash(world);
    equal(roles(world.agent), ["user", "system", "user", "assistant", "assistant"], "transcript");
    equal(
      world.agent.peekQueuedMessages().map(({ content }) => content),
      ["S"],
      "queued",
    );
    await world.agent.prompt("next");
    equal(world.agent.hasQueuedMessages(), false, "queues are empty");
    const texts = world.agent.state.messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => content);
    equal(
      texts.filter((text) => typeof text === "string"),
      ["before", "S", "F"],
      "user messages",
    );
  },

  async "what was taken out of a queue goes back to its head"(host, how) {
    const world = new World(host.steersman);
    world.make();
    const receipts = ["S1", "S2", "F"].map((text) =>
      world.agent[text === "F" ? "followUp" : "steer"](user(text)),
    );
    let crash = true;
    world.listener = ({ type, message }) => {
      if (type !== "message_start" || message.content !== "S1" || !crash) return;
      crash = false;
      host.testing.crashEngine(how);
    };
    await world.agent.prompt("go");
    endedByCrash(world);
    world.agent.steeringMode = "all";
    equal(
      world.agent.peekQueuedMessages().map(({ content }) => content),
      ["S1", "S2"],
      "queued",
    );
    equal(
      receipts.map(({ status }) => status),
      ["queued", "queued", "queued"],
      "receipts",
    );
    await world.agent.prompt("next");
    equal(
      receipts.map(({ status }) => status),
      ["delivered", "delivered", "delivered"],
      "receipts after the next prompt",
    );
    const texts = world.agent.state.messages
      .map(({ content }) => content)
      .filter((text) => /^[SF]/.test(text));
    equal(texts, ["S1", "S2", "F"], "delivered");
  },

  async "two agents end in order"(host, how) {
    const worlds = [new World(host.steersman), new World(host.steersman)];
    let waiting = 0;
    for (const world of worlds) {
      world.execute = () => {
        if (++waiting === worlds.length) queueMicrotask(() => host.testing.crashEngine(how));
        return new Promise(() => {});
      };
      world.make();
    }
    const runs = worlds.map((world) => world.agent.prompt("go"));
    for (const [i, world] of worlds.entries()) {
      const { ok } = await settled(runs[i], `prompt() of agent ${i}`);
      equal(ok, true, "prompt() fulfils");
      endedByCrash(world);
    }
    for (const world of worlds) await answers(world);
  },

  async "low-level runs end"(host, how) {
    const { steersman, testing } = host;
    const tool = new World(steersman).tool;
    tool.execute = () => {
      queueMicrotask(() => testing.crashEngine(how));
      return new Promise(() => {});
    };
    const config = { model: new World(steersman).state.model, convertToLlm: (messages) => messages };
    const final = { role: "assistant", content: [call("k1", "t", { a: 1 })], stopReason: "toolUse" };
    const streamFn = () => ({
      async *[Symbol.asyncIterator]() {
        yield { type: "done", message: final };
      },
      result: async () => final,
    });
    const context = { messages: [], tools: [tool] };
    const stream = steersman.agentLoop([user("go")], context, config, undefined, streamFn);
    const events = [];
    for await (const event of stream) events.push(event.type);
    equal(events.slice(-4), RITUAL, "closing events");
    equal((await stream.result()).at(-1).diagnostics[0].code, "engine_crash", "code");
    const run = steersman.runAgentLoop([user("go")], context, config, () => {}, undefined, streamFn);
    const outcome = await settled(run, "runAgentLoop()");
    if (!(outcome.error instanceof steersman.EngineCrashError))
      throw new Error(`rejects with ${show(outcome.error)}`);
    const single = steersman.runToolCall(final.content[0], {
      tools: [tool],
      assistantMessage: final,
      context,
    });
    const refused = await settled(single, "runToolCall()");
    if (!(refused.error instanceof steersman.EngineCrashError))
      throw new Error(`rejects with ${show(refused.error)}`);
  },

  async "a built-in stream"(host, how) {
    const world = new World(host.steersman);
    let cancelled = 0;
    const pieces = [sse([{ choices: [{ delta: { content: "x" } }] }], "")];
    const endless = { after: () => new Promise(() => {}), onCancel: () => cancelled++ };
    world.http = { fetch: () => async () => streamed(pieces, endless) };
    world.listener = ({ type }) => type === "message_update" && world.crash?.();
    world.crash = () => {
      world.crash = undefined;
      host.testing.crashEngine(how);
    };
    world.make();
    await world.agent.prompt("go");
    endedByCrash(world);
    await turn();
    equal(cancelled, 1, "the body is cancelled");
  },
};

const once = {
  async "in a decoder: both agents end, also the one that streams something else"(host) {
    const { steersman, testing } = host;
    const worlds = [new World(steersman), new World(steersman)];
    const idle = worlds[1];
    idle.execute = () => new Promise(() => {});
    let armed = false;
    worlds[0].http = {
      fetch: () => async () => {
        armed = true;
        return streamed([sse([{ choices: [{ delta: { content: "x" } }] }], "")]);
      },
    };
    for (const world of worlds) world.make();
    const other = idle.agent.prompt("go");
    while (!idle.events.some(({ type }) => type === "tool_execution_start")) await turn();
    testing.crashEngine("decoder");
    await worlds[0].agent.prompt("go");
    equal(armed, true, "a request was made");
    endedByCrash(worlds[0]);
    await settled(other, "prompt() of the other agent");
    endedByCrash(idle);
    await answers(idle);
    const chat = provider([[{ type: "text", text: "done" }]]);
    const context = { messages: [user("go")] };
    const direct = steersman.streamSimple(chatModel, context, { apiKey: "key", fetch: chat });
    equal((await direct.result()).stopReason, "stop", "a stream on the new instance");
  },
};

/** @returns how many cases passed, and what failed, by name */
export async function crashes(host) {
  const failures = [];
  let passed = 0;
  const attempt = async (name, run) => {
    try {
      await run();
      const rejections = await unhandledRejections();
      if (rejections.length > 0) throw new Error(`unhandled: ${rejections.map(show).join("; ")}`);
      passed++;
    } catch (error) {
      failures.push({ name, detail: show(error) });
      await unhandledRejections();
    }
  };
  for (const [name, run] of Object.entries(cases)) {
    for (const how of ["panic", "stack"]) await attempt(`crash by ${how}: ${name}`, () => run(host, how));
  }
  for (const [name, run] of Object.entries(once)) await attempt(`crash ${name}`, () => run(host));
  return { passed, failures };
}
