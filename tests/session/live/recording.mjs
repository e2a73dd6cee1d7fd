// What a session keeps, and what becomes of it.
import { equal, ok, rejects } from "./check.mjs";
import {
  agentOf,
  call,
  failing,
  gate,
  model,
  pages,
  roles,
  scripted,
  stored,
  told,
  toolOf,
  textOf,
  usageOf,
} from "./world.mjs";

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

  "calls of a run that broke off are answered in the request alone, and no tool runs": async (host) => {
    const { Session, SessionTree, MemoryStore, treeWrites } = host.session;
    const store = new MemoryStore();
    const tree = SessionTree.create({ id: store.id });
    tree.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
    tree.appendMessage({
      ...{ role: "assistant", api: "scripted", provider: "scripted", model: "m", stopReason: "toolUse" },
      content: [call("a", "look"), call("b", "look")],
      ...{ usage: { totalTokens: 0 }, timestamp: 2 },
    });
    tree.appendMessage({
      ...{ role: "toolResult", toolCallId: "a", toolName: "look", isError: false, timestamp: 3 },
      content: [{ type: "text", text: "ok" }],
    });
    await store.commit(treeWrites(tree));
    let runs = 0;
    const tools = [toolOf("look", () => runs++)];
    const agent = agentOf(host, ["Well."], { state: { tools } });
    await Session.open({ agent, store });
    await agent.prompt("And?");
    const sent = agent.requests[0].messages.filter(({ role }) => role !== "system");
    equal(roles(sent), "user assistant toolResult toolResult user");
    equal([sent[3].toolCallId, sent[3].isError], ["b", true]);
    equal(runs, 0);
    const messages = (await store.scanEntries({ order: "asc", type: "message" })).map(
      ({ message }) => message,
    );
    equal(messages.filter(({ role }) => role === "toolResult").length, 1);
  },

  "what could not be stored is kept, told, and stored with the next message": async (host) => {
    const { Session } = host.session;
    const failures = Array(20).fill("failed");
    const store = failing(host, failures);
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    const events = told(session);
    await agent.prompt("1");
    ok(session.unsaved > 0, "some is not stored");
    const errors = events.filter(({ type }) => type === "storage_error");
    equal(errors[0].error.code, "storage_failed");
    equal(errors.at(-1).unsaved, session.unsaved);
    failures.length = 0;
    await agent.prompt("2");
    equal(session.unsaved, 0);
    equal(await stored(store), `system model_change thinking_level_change ${turn} ${turn}`);
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

  "what is followed stays when it is removed from the store": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const session = await Session.open({ agent: agentOf(host, []), store: here });
    await session.prompt("1");
    const count = session.tree.getEntries().length;
    const empty = {
      header: async () => undefined,
      scanEntries: async () => [],
      value: async () => undefined,
    };
    Object.assign(here, empty);
    await there.takeOver();
    await new Promise((resolve) => session.subscribe(({ type }) => type === "role" && resolve()));
    equal([session.role, session.tree.getEntries().length], ["mirror", count]);
  },

  "a commit that landed unseen is not written twice": async (host) => {
    const { Session } = host.session;
    const store = failing(host, ["lost_answer"]);
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    await agent.prompt("1");
    equal(session.unsaved, 0);
    equal(await stored(store), `system model_change thinking_level_change ${turn}`);
    equal(await store.value("pi.branch.tip", "main"), session.tree.getLeafId());
  },

  "whichever commit landed unseen, what comes after it is stored": async (host) => {
    const { Session } = host.session;
    for (let nth = 0; nth < 8; nth++) {
      const store = failing(host, [...Array(nth).fill(undefined), "lost_answer", "failed"]);
      const agent = agentOf(host, [[call("a", "look")], "Done.", "More."]);
      const session = await Session.open({ agent, store });
      await agent.prompt("1");
      await session.prompt("2");
      equal(session.unsaved, 0, `unsaved after commit ${nth}`);
      equal(
        await stored(store),
        "system model_change thinking_level_change user assistant toolResult assistant user assistant",
      );
      equal((await store.scanUsage()).length, 3, "rows of usage");
      equal(await store.value("pi.branch.tip", "main"), session.tree.getLeafId(), "tip");
    }
  },

  "blocks of types that nobody knows are kept, and the session opens again": async (host) => {
    const { Session, MemoryStore } = host.session;
    const strange = [{ type: "resource", resource: { uri: "x:1" } }, { type: "text" }];
    const look = { ...toolOf("look"), execute: async () => ({ content: strange, details: {} }) };
    const store = new MemoryStore();
    const agent = agentOf(host, [[call("a", "look")], "Done."], { state: { tools: [look] } });
    const session = await Session.open({ agent, store });
    const events = told(session);
    await session.prompt("Look.");
    equal(events.filter(({ error }) => error).length, 0, "errors");
    await session.dispose({ keepStore: true });
    const again = agentOf(host, []);
    await Session.open({ agent: again, store });
    equal(roles(again.state.messages), "system user assistant toolResult assistant");
  },

  "a damaged file is taken into a store, and goes on": async (host) => {
    const { MemoryStore, Session, SessionTree, treeWrites } = host.session;
    const entry = (id, parentId) => ({
      ...{ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z" },
      message: { role: "user", content: id, timestamp: 1 },
    });
    const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
    const cases = {
      orphan: [[entry("a", null), entry("b", "gone"), entry("c", "b")], "bc"],
      cycle: [[entry("a", "b"), entry("b", "a"), entry("c", "b")], "abc"],
      late: [[entry("c", "b"), entry("b", "a"), entry("a", null), entry("d", "c")], "abcd"],
    };
    for (const [name, [entries, branch]] of Object.entries(cases)) {
      const file = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
      const tree = SessionTree.import(file);
      const store = new MemoryStore({ id: "s" });
      await store.commit(treeWrites(tree));
      const agent = agentOf(host, []);
      const session = await Session.open({ agent, store });
      equal(
        session.tree
          .getBranch()
          .map(({ id }) => id)
          .join(""),
        branch,
        name,
      );
      await session.prompt("on");
      equal(session.unsaved, 0, name);
      const again = SessionTree.import(session.tree.export());
      equal([again.reports.length, again.getLeafId()], [0, session.tree.getLeafId()], name);
    }
  },

  "what stands between a call and its result follows the result in requests": async (host) => {
    const { MemoryStore, Session, SessionTree, treeWrites } = host.session;
    const tree = SessionTree.create({ id: "s" });
    const note = (text) => tree.appendCustomMessageEntry("note", text, true);
    const result = (id) => ({
      ...{ role: "toolResult", toolCallId: id, toolName: "look", isError: false, timestamp: 1 },
      content: [{ type: "text", text: `result ${id}` }],
    });
    tree.appendMessage({ role: "user", content: "q", timestamp: 1 });
    tree.appendMessage({
      ...{ role: "assistant", api: "a", provider: "p", model: "m", usage: usageOf(1, 1), timestamp: 1 },
      ...{ stopReason: "toolUse", content: [call("1", "look"), call("2", "look")] },
    });
    note("first");
    tree.appendMessage(result("1"));
    note("second");
    tree.appendMessage(result("2"));
    const store = new MemoryStore({ id: "s" });
    await store.commit(treeWrites(tree));
    const agent = agentOf(host, ["a"]);
    await Session.open({ agent, store });
    await agent.prompt("on");
    const sent = agent.requests[0].context.messages.filter(
      ({ role }) => !["system", "assistant"].includes(role),
    );
    equal(sent.map(textOf), ["q", "result 1", "result 2", "first", "second", "on"]);
  },

  "an answer of a file that was still coming is left out and told, and the file is taken": async (host) => {
    const { MemoryStore, SessionTree, treeWrites } = host.session;
    const time = "2026-01-01T00:00:00.000Z";
    const entry = (id, parentId, message) => ({ type: "message", id, parentId, timestamp: time, message });
    const asked = { role: "user", content: "q", timestamp: 1 };
    const pending = { role: "assistant", content: [], stopReason: "pending", timestamp: 1 };
    const header = { type: "session", version: 3, id: "s", timestamp: time, cwd: "/" };
    const entries = [
      ...[entry("a", null, asked), entry("b", "a", pending), entry("c", "b", pending)],
      ...[entry("d", "c", asked), entry("e", "d", pending)],
    ];
    const lines = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`);
    for (const tree of [SessionTree.import(lines.join("")), SessionTree.from(header, entries)]) {
      equal(
        tree.reports.map(({ code }) => code),
        ["bad_line", "bad_line", "bad_line"],
      );
      await new MemoryStore({ id: "s" }).commit(treeWrites(tree));
      equal(
        tree.getBranch().map(({ id, parentId }) => [id, parentId]),
        [
          ["a", null],
          ["d", "a"],
        ],
      );
      const again = SessionTree.import(tree.export());
      equal([again.reports.length, again.getLeafId()], [0, "d"]);
    }
  },

  "without room the run ends after the turn, and nothing is lost": async (host) => {
    const { Session } = host.session;
    const store = failing(host, Array(50).fill("quota"));
    const agent = agentOf(host, [[call("a", "look")], [call("b", "look")], "Never."]);
    const session = await Session.open({ agent, store });
    const events = told(session);
    await agent.prompt("Look.");
    equal(agent.requests.length, 1);
    equal(roles(agent.state.messages), "system user assistant toolResult");
    ok(
      events.some(({ type, error }) => type === "storage_error" && error.code === "storage_quota"),
      "told",
    );
    equal(session.unsaved, 6);
    equal(session.tree.getEntries().length, 6);
  },

  "a page that lost the session stops its run, and writes nothing twice": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const agent = agentOf(host, [[call("a", "look")], "Never."], {
      state: { tools: [toolOf("look", () => there.steal())] },
    });
    const session = await Session.open({ agent, store: here });
    const events = told(session);
    await agent.prompt("Look.");
    equal(agent.requests.length <= 2, true);
    ok(
      events.some(({ type, error }) => type === "storage_error" && error.code === "storage_fenced"),
      "told",
    );
    ok(session.unsaved > 0, "what came after is kept");
    await rejects(agent.prompt("Again."), "busy");
    const other = await Session.open({ agent: agentOf(host, ["Here."]), store: there });
    await other.prompt("And here?");
    const entries = await there.scanEntries({ order: "asc" });
    equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  },

  "the other page follows, and goes on when the first lets go": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const first = await Session.open({ agent: agentOf(host, []), store: here });
    const agent = agentOf(host, []);
    const second = await Session.open({ agent, store: there, cwd: "/there" });
    equal([first.role, second.role], ["writer", "mirror"]);
    const changed = new Promise((resolve) => {
      second.subscribe(({ type }) => {
        if (type === "changed" && agent.state.messages.length === 3) resolve();
      });
    });
    await first.prompt("1");
    await changed;
    equal(roles(agent.state.messages), `system ${turn}`);
    await rejects(second.prompt("2"), "busy");
    await rejects(second.setName("x"), "busy");
    await second.takeOver();
    equal(second.role, "writer");
    const header = await here.header();
    await agent.prompt("2");
    equal(await here.header(), header);
    equal(roles(agent.state.messages), `system ${turn} ${turn}`);
    await rejects(first.agent.prompt("3"), "busy");
    const entries = await there.scanEntries({ order: "asc" });
    equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  },

  "B092: of two agents on one session one answers, the other follows": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    let inFlight = 0;
    let most = 0;
    const streamFn = scripted([]);
    const counted = async (...args) => {
      most = Math.max(most, ++inFlight);
      await Promise.resolve();
      inFlight--;
      return streamFn(...args);
    };
    const [a, b] = [agentOf(host, counted), agentOf(host, counted)];
    new Session({ agent: a, store });
    const follower = new Session({ agent: b, store });
    const [one, two] = await Promise.allSettled([a.prompt("a"), b.prompt("b")]);
    equal([one.status, two.status, two.reason.code], ["fulfilled", "rejected", "busy"]);
    equal(most, 1);
    equal(await stored(store), `system model_change thinking_level_change ${turn}`);
    await follower.takeOver();
    await b.prompt("b");
    equal(roles(b.state.messages), `system ${turn} ${turn}`);
  },

  "B101: a page that is gone in the middle of an answer leaves a history that goes on": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const held = gate();
    const at5 = gate();
    const endless = () => ({
      async *[Symbol.asyncIterator]() {
        const partial = { role: "assistant", content: [{ type: "text", text: "" }], stopReason: "pending" };
        yield { type: "start", partial };
        for (let delta = 0; delta < 5; delta++)
          yield { type: "text_delta", contentIndex: 0, delta: "x", partial };
        at5.open();
        await held.passed;
      },
      result: () => new Promise(() => {}),
    });
    const lost = new Session({ agent: agentOf(host, endless), store });
    void lost.agent.prompt("1");
    await at5.passed;
    // Another page cannot see that object: only what is stored counts.
    const copy = new MemoryStore({ id: store.id });
    const entries = (await store.scanEntries({ order: "asc" })).map(({ seq: _, ...entry }) => entry);
    await copy.commit([
      { kind: "header", header: await store.header() },
      ...entries.map((entry) => ({ kind: "entry", entry })),
    ]);
    const agent = agentOf(host, ["Again."]);
    const session = await Session.open({ agent, store: copy });
    equal(roles(agent.state.messages), "system user");
    equal([agent.state.isStreaming, session.isBusy], [false, false]);
    await agent.prompt("2");
    equal(roles(agent.requests[0].messages), "system user user");
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

  "a store that cannot be opened refuses prompts with its code": async (host) => {
    const { Session, MemoryStore, SessionError } = host.session;
    const store = new MemoryStore();
    store.open = async () => {
      throw new SessionError("blocked");
    };
    const agent = agentOf(host, []);
    const session = new Session({ agent, store });
    await rejects(session.ready, "storage_blocked");
    await rejects(agent.prompt("1"), "storage_blocked");
    equal(agent.state.isStreaming, false);
  },

  "a name that comes from a list of sessions is seen by the page that writes": async (host) => {
    const { Session } = host.session;
    const [here] = pages(host, 1);
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store: here });
    await session.setName("First");
    await session.prompt("1");
    const events = session.events();
    await here.rename("Second");
    for await (const { type } of events) if (type === "changed") break;
    equal(session.name, "Second");
    await session.prompt("2");
    const entries = await here.scanEntries({ order: "asc" });
    equal(entries.find(({ message }) => message?.content?.[0]?.text === "2").parentId, "name-Second");
    equal(roles(agent.state.messages), `system ${turn} ${turn}`);
    await session.setName("Third");
    equal(session.name, "Third");
  },

  "a session that was removed takes no prompts": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    let tell;
    store.subscribe = (listener) => {
      tell = listener;
      return () => {};
    };
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    const events = told(session);
    await agent.prompt("1");
    tell({ type: "gone" });
    equal(events.at(-1).type, "gone");
    await rejects(agent.prompt("2"), "storage_gone");
    await rejects(session.compact(), "storage_gone");
    equal(session.tree.getEntries().length, 5);
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

  "who disposes a session twice waits twice": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    await session.prompt("1");
    const held = gate();
    const commit = store.commit.bind(store);
    store.commit = async (writes) => {
      await held.passed;
      return commit(writes);
    };
    void session.setName("x");
    void session.dispose({ keepStore: true });
    const again = session.dispose({ keepStore: true });
    held.open();
    await again;
    await Session.open({ agent, store });
  },

  "a store that does not answer is not waited for by who says so": async (host) => {
    const { Session, MemoryStore } = host.session;
    const silent = new Promise(() => {});
    for (const method of ["commit", "close", "open"]) {
      const store = new MemoryStore();
      const agent = agentOf(host, ["1", "2"]);
      store[method] = () => silent;
      const session = new Session({ agent, store });
      if (method === "close") await session.prompt("Hello.");
      const prompted = method === "close" ? undefined : agent.prompt("Hello.").catch(({ code }) => code);
      if (method === "commit") {
        await session.ready;
        await new Promise((resolve) =>
          session.subscribe(({ entry }) => entry?.message?.role === "assistant" && resolve()),
        );
      }
      const waiting = session.dispose();
      await session.dispose({ force: true });
      await waiting;
      equal(await prompted, method === "open" ? "busy" : undefined, method);
      if (method === "commit") ok(session.unsaved > 0, "what was not stored is there");
      await Session.open({ agent, store: new MemoryStore() });
      await agent.prompt("Goes on.");
    }
  },

  "a long session leaves nothing at signals": async (host) => {
    const { Session, MemoryStore } = host.session;
    const balance = new Map();
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    const count = (method, step) =>
      function counted(...given) {
        if (this instanceof AbortSignal) balance.set(this, (balance.get(this) ?? 0) + step);
        return method.apply(this, given);
      };
    EventTarget.prototype.addEventListener = count(addEventListener, 1);
    EventTarget.prototype.removeEventListener = count(removeEventListener, -1);
    try {
      const agent = agentOf(host, Array(20).fill("a"));
      const session = await Session.open({ agent, store: new MemoryStore() });
      for (let turn = 0; turn < 20; turn++) await session.prompt("q");
    } finally {
      Object.assign(EventTarget.prototype, { addEventListener, removeEventListener });
    }
    ok(balance.size > 0 && Math.max(...balance.values()) < 10, `listeners: ${[...balance.values()]}`);
  },

  "an agent has one session at a time": async (host) => {
    const { Session, MemoryStore } = host.session;
    const agent = agentOf(host, []);
    const session = new Session({ agent, store: new MemoryStore() });
    await rejects((async () => new Session({ agent, store: new MemoryStore() }))(), "busy");
    await session.dispose();
    await Session.open({ agent, store: new MemoryStore() });
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

  "what could not be stored when another page took over becomes a branch": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const agent = agentOf(host, [[call("a", "look")], "Never."], {
      state: { tools: [toolOf("look", () => there.steal())] },
    });
    const session = await Session.open({ agent, store: here });
    await agent.prompt("Look.");
    const lost = session.unsavedEntries.map(({ id }) => id);
    ok(lost.length > 0, "kept");
    const other = await Session.open({ agent: agentOf(host, []), store: there });
    await other.prompt("Here.");
    await session.takeOver();
    equal(session.unsaved, 0);
    const entries = await here.scanEntries({ order: "asc" });
    ok(
      lost.every((id) => entries.some((entry) => entry.id === id)),
      "stored",
    );
    equal(new Set(entries.map(({ id }) => id)).size, entries.length);
    equal(session.tree.getEntries().length, entries.length);
    equal(session.tree.getLeafId(), other.tree.getLeafId());
    await agent.prompt("Again.");
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
