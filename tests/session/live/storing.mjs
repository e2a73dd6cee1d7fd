// Stores that fail, are full, or do not answer.
import { equal, ok, rejects } from "./check.mjs";
import { agentOf, call, failing, gate, roles, stored, told } from "./world.mjs";

const turn = "user assistant";

export const storing = {
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

  "a name, a label and a move that could not be stored are told as messages are": async (host) => {
    const { Session } = host.session;
    const failures = [];
    const store = failing(host, failures);
    const session = await Session.open({ agent: agentOf(host, []), store });
    await session.prompt("1");
    const events = told(session);
    const { id } = session.tree.getEntries().find(({ message }) => message?.role === "user");
    for (const act of [
      () => session.setName("x"),
      () => session.setLabel(id, "y"),
      () => session.branch(id),
    ]) {
      failures.push(...Array(9).fill("quota"));
      await act();
      const { type, error, unsaved } = events.at(-1).type === "storage_error" ? events.at(-1) : events.at(-2);
      equal([type, error?.code, unsaved], ["storage_error", "storage_quota", 1], String(act));
      equal(session.unsaved, 1, String(act));
      failures.length = 0;
      await session.waitForIdle();
      equal(session.unsaved, 0, String(act));
    }
    equal(await store.value("pi.branch.tip", "main"), id);
    equal((await stored(store)).split(" ").slice(-2), ["session_info", "label"]);
  },

  "what is sent while a run is being stored is answered, and stored": async (host) => {
    const { Session, MemoryStore } = host.session;
    const store = new MemoryStore();
    const commit = store.commit.bind(store);
    const [began, held] = [gate(), gate()];
    const agent = agentOf(host, ["One.", "Two."]);
    const session = await Session.open({ agent, store });
    store.commit = async (writes) => {
      if (writes.some(({ entry }) => entry?.message?.role === "assistant")) {
        began.open();
        await held.passed;
      }
      return commit(writes);
    };
    const prompted = session.prompt("1");
    await began.passed;
    // So that the run has nothing else to do.
    for (let turn = 0; turn < 9; turn++) await new Promise((resolve) => setTimeout(resolve));
    equal(agent.state.isStreaming, true);
    const receipt = session.send("2");
    held.open();
    await prompted;
    equal([receipt.status, agent.hasQueuedMessages()], ["delivered", false]);
    equal(await stored(store), `system model_change thinking_level_change ${turn} ${turn}`);
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
};
