// Runs that broke off, and sessions that are damaged or strange.
import { equal } from "./check.mjs";
import { agentOf, call, gate, roles, textOf, told, toolOf, usageOf } from "./world.mjs";

export const mending = {
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
};
