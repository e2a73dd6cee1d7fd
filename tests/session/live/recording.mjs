// What a session keeps, and what the agent is given of it.
import { equal, ok, rejects } from "./check.mjs";
import { agentOf, call, model, roles, stored, textOf, told, toolOf } from "./world.mjs";

const turn = "user assistant";

export const recording = {
  "every message is stored when the bare agent is idle, with its branch": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const agent = agentOf(host, [[call("c", "look")], "Done."]);
    const session = new Session({ agent, store });
    const events = told(session);
    await agent.prompt("Look.");
    equal(
      await stored(store),
      "system model_change thinking_level_change user assistant toolResult assistant",
    );
    equal(await store.value("pi.branch.tip", "main"), session.tree.getLeafId());
    equal(events[0].type, "ready");
    equal(events.filter(({ type }) => type === "entry_added").length, 7);
    equal((await store.stats()).messageCount, 5);
    equal(session.unsaved, 0);
  },

  "a session goes on with its messages, model and thinking level": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const first = new Session({ agent: agentOf(host, ["One."], { state: { thinkingLevel: "low" } }), store });
    await first.prompt("1");
    await first.dispose({ keepStore: true });
    const other = { ...model, id: "other", reasoning: true };
    const agent = agentOf(host, ["Two."], { state: { model: other, systemPrompt: "Be long." } });
    const asked = [];
    const second = await Session.open({
      ...{ agent, store },
      findModel: (...names) => {
        asked.push(names);
        return model;
      },
    });
    equal(asked, [["scripted", "m"]]);
    equal([second.restored.isNew, second.restored.modelFound], [false, true]);
    equal([agent.state.model.id, agent.state.thinkingLevel], ["m", "low"]);
    equal(roles(agent.state.messages), `system ${turn}`);
    equal(agent.state.systemPrompt, "Be long.", "the prompt of the application counts");
    await second.prompt("2");
    equal(roles(agent.requests[0].messages), `system ${turn} user`);
    equal(await stored(store), `system model_change thinking_level_change ${turn} ${turn}`);
  },

  "another model, and another thinking level, stand before the next message": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const agent = agentOf(host, []);
    await Session.open({ agent, store });
    await agent.prompt("1");
    agent.state.model = { ...model, id: "n" };
    await agent.prompt("2");
    agent.state.thinkingLevel = "high";
    await agent.prompt("3");
    const settings = "model_change thinking_level_change";
    equal(
      await stored(store),
      `system ${settings} ${turn} model_change ${turn} thinking_level_change ${turn}`,
    );
  },

  "answers that failed or were stopped are kept, and left out of requests": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const boom = () => {
      throw new Error("boom");
    };
    const agent = agentOf(host, [boom, "Well."]);
    await Session.open({ agent, store });
    await agent.prompt("1");
    await agent.prompt("2");
    equal(roles(agent.state.messages), `system ${turn} ${turn}`);
    equal(roles(agent.requests[1].messages), "system user user");
    equal((await store.stats()).messageCount, 5);
  },

  "a session in which nothing was said is not stored": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const session = await Session.open({ agent: agentOf(host, []), store });
    await session.waitForIdle();
    equal(await store.header(), undefined);
    await session.agent.prompt("1");
    equal((await store.header()).id, session.id);
  },

  "hooks of the application stay its own": async (host) => {
    const { Session, MemoryStore } = host.session;
    const calls = [];
    const transformContext = async (messages) => {
      calls.push("transformContext");
      return messages;
    };
    const shouldStopAfterTurn = () => {
      calls.push("shouldStopAfterTurn");
      return false;
    };
    const agent = agentOf(host, [], { transformContext, shouldStopAfterTurn });
    const session = await Session.open({ agent, store: new MemoryStore() });
    await agent.prompt("1");
    equal(calls, ["transformContext", "shouldStopAfterTurn"]);
    equal(agent.transformContext === transformContext, true);
    await session.dispose();
    await agent.prompt("2");
    equal(session.tree.getEntries().length, 5);
  },

  "what waits for the end of its own run without holding it up goes on when all is stored": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const later = [];
    let session;
    const after = (place) => {
      for (const [name, whose] of Object.entries({ agent, session }))
        later.push(
          whose
            .waitForIdle()
            .then(async () => [place, name, session.isBusy, (await store.stats()).messageCount]),
        );
    };
    const agent = agentOf(host, [[call("c", "look")], "Done."], {
      state: { tools: [toolOf("look", () => after("tool"))] },
      finishTurn: () => void (later.length < 4 && after("hook")),
    });
    session = await Session.open({ agent, store });
    agent.subscribe(({ type }) => void (type === "agent_end" && after("listener")));
    await agent.prompt("Look.");
    const places = ["tool", "hook", "listener"];
    const told = places.flatMap((place) => ["agent", "session"].map((name) => [place, name, false, 5]));
    equal(await Promise.all(later), told);
  },

  "a tool that waits for its own run holds it up no longer than the limits say": async (host) => {
    const { Session, MemoryStore } = host.session;
    let session;
    const options = { state: { tools: [toolOf("look", () => session.waitForIdle())] } };
    const timed = agentOf(host, [[call("c", "look")], "Done."], { ...options, limits: { toolMs: 1 } });
    session = await Session.open({ agent: timed, store: new MemoryStore() });
    await session.prompt("Look.");
    equal(textOf(timed.state.messages.at(-1)), "Done.");
    const stopped = agentOf(host, [[call("c", "look")]], { ...options, toolAbortGraceMs: 0 });
    session = await Session.open({ agent: stopped, store: new MemoryStore() });
    stopped.subscribe(({ type }) => type === "tool_execution_start" && stopped.abort());
    await session.prompt("Look.");
    equal(stopped.state.messages.at(-1).stopReason, "aborted");
    equal(session.unsaved, 0);
  },

  "what is told of errors and models may throw, and the session goes on": async (host) => {
    const { Session, MemoryStore } = host.session;
    const fail = () => {
      throw new Error("a mistake");
    };
    const store = new MemoryStore();
    const first = await Session.open({ agent: agentOf(host, [], { onError: fail }), store });
    first.subscribe(fail);
    await first.prompt("1");
    equal([first.unsaved, (await store.stats()).messageCount], [0, 3]);
    await first.dispose({ keepStore: true });
    const agent = agentOf(host, []);
    const second = new Session({ agent, store, findModel: fail });
    const events = told(second);
    await second.ready;
    equal([second.restored.modelFound, roles(agent.state.messages)], [false, `system ${turn}`]);
    equal(events.map(({ type }) => type).join(" "), "warning ready");
  },

  "an agent has one session at a time": async (host) => {
    const { Session, MemoryStore } = host.session;
    const agent = agentOf(host, []);
    const session = new Session({ agent, store: new MemoryStore() });
    await rejects((async () => new Session({ agent, store: new MemoryStore() }))(), "busy");
    await session.dispose();
    await Session.open({ agent, store: new MemoryStore() });
  },

  "a session that is made while the last one is disposed goes on with the agent and the store": async (
    host,
  ) => {
    const { Session, MemoryStore } = host.session;
    for (const keepStore of [false, true])
      for (const same of [false, true]) {
        const agent = agentOf(host, ["One.", "Two."]);
        const store = new MemoryStore();
        // As StrictMode mounts views: there, gone, and there again, with nothing in between.
        const first = new Session({ agent, store });
        const gone = first.dispose({ keepStore });
        const second = new Session({ agent, store: same ? store : new MemoryStore() });
        await rejects((async () => new Session({ agent, store }))(), "busy");
        await agent.prompt("1");
        await gone;
        await agent.prompt("2");
        equal(roles(agent.state.messages), `system ${turn} ${turn}`);
        equal((await second.store.stats()).messageCount, 5);
        equal([second.role, first.unsaved, second.unsaved], ["writer", 0, 0]);
        const run = agent.prompt("3");
        const left = second.dispose({ keepStore: true });
        await rejects((async () => new Session({ agent, store: second.store }))(), "busy");
        await Promise.all([run, left]);
      }
  },

  "names and labels are stored": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const session = await Session.open({ agent: agentOf(host, []), store });
    await session.setName(" A\nname ");
    await session.prompt("1");
    const question = session.entryOf(session.agent.state.messages[1]);
    await session.setLabel(question.id, "first");
    equal(session.name, "A name");
    await session.dispose({ keepStore: true });
    const again = await Session.open({ agent: agentOf(host, []), store });
    equal(again.name, "A name");
    equal(again.tree.getLabels(), { [question.id]: "first" });
  },

  "messages that the application gives the agent are followed": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    const events = told(session);
    await agent.prompt("1");
    await agent.prompt("2");
    const [first] = session.tree.getEntries().filter(({ message }) => message?.role === "assistant");
    agent.state.messages = agent.state.messages.slice(0, -2);
    await agent.prompt("2b");
    equal(roles(agent.state.messages), `system ${turn} ${turn}`);
    const after = session.tree.getChildren(first.id).map(({ message }) => textOf(message));
    equal(after, ["2", "2b"]);
    equal(events.filter(({ type }) => type === "session_tree").length, 1);
    agent.reset();
    await agent.prompt("3");
    equal(session.tree.getChildren(null).length, 2, "another root");
    equal(roles(session.tree.buildSessionContext().messages), `system ${turn}`);
    agent.state.messages.push({ role: "user", content: "by the way", timestamp: 1 });
    await agent.prompt("4");
    equal(roles(session.tree.buildSessionContext().messages), `system ${turn} user ${turn}`);
    await session.dispose({ keepStore: true });
    const again = agentOf(host, []);
    await Session.open({ agent: again, store });
    equal(roles(again.state.messages), `system ${turn} user ${turn}`);
  },

  "details that are no JSON are left out, and the message is kept": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const look = toolOf("look");
    const details = { big: 1n };
    const execute = async () => ({ content: [{ type: "text", text: "ok" }], details });
    const agent = agentOf(host, [[call("a", "look")], "Done."], { state: { tools: [{ ...look, execute }] } });
    const session = await Session.open({ agent, store });
    const events = told(session);
    await agent.prompt("Look.");
    equal((await store.stats()).messageCount, 5);
    ok(
      events.some(({ type }) => type === "warning"),
      "told",
    );
    equal(agent.state.messages[3].details === details, true);
  },

  "an option that does not exist is refused, and the text names those that do": async (host) => {
    const { Session, MemoryStore, IndexedDbStore, openStore, SessionCatalog } = host.session;
    const agent = agentOf(host, []);
    const store = new MemoryStore();
    const compaction = (settings) => () => new Session({ agent, store, compaction: settings });
    for (const [make, slip, near] of [
      [() => new Session({ agent, store, brnch: "a" }), "brnch", "branch"],
      [() => Session.open({ agent, store, hook: {} }), "hook", "hooks"],
      [compaction({ reserveToken: 1 }), "reserveToken", "reserveTokens"],
      [compaction({ branchSummary: { reserve: 1 } }), "reserve", "reserveTokens"],
      [compaction({ modelOverrides: { "a/b": { keep: 1 } } }), "keep", "keepRecentTokens"],
      [() => new MemoryStore({ ID: "a" }), "ID", "id"],
      [() => new IndexedDbStore({ db: "a" }), "db", "database"],
      [() => openStore({ onfallback() {} }), "onfallback", "onFallback"],
      [() => new SessionCatalog({ name: "a" }), "name", "database"],
    ]) {
      const { message } = await rejects((async () => make())(), "invalid_request");
      ok(message.includes(`"${slip}"; known: `) && message.includes(near), message);
    }
    // Nothing was begun.
    await (await Session.open({ agent, store })).dispose();
  },

  "an agent behind the proxy of a framework": async (host) => {
    const { Session, MemoryStore } = host.session;
    // As Vue does: objects are wrapped when they are read, functions and what cannot be extended are not.
    const proxies = new WeakMap();
    const reactive = (target) => {
      if (typeof target === "object" && target !== null && !Object.isExtensible(target)) return target;
      if (!["[object Object]", "[object Array]"].includes(Object.prototype.toString.call(target)))
        return target;
      const known = proxies.get(target);
      if (known) return known;
      const get = (object, name, receiver) => reactive(Reflect.get(object, name, receiver));
      const proxy = new Proxy(target, { get });
      proxies.set(target, proxy);
      return proxy;
    };
    const store = new MemoryStore();
    const agent = reactive(agentOf(host, []));
    const session = reactive(new Session({ agent, store }));
    await agent.prompt("1");
    await session.prompt("2");
    await session.regenerate();
    equal(session.tree.getEntries().length, 8);
  },
};
