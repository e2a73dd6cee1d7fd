// One session in several pages.
import { equal, ok, rejects } from "./check.mjs";
import { agentOf, call, gate, pages, roles, scripted, stored, texts, told, toolOf } from "./world.mjs";

const turn = "user assistant";

export const following = {
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

  "what is written while a page opens the session is there, and what comes then": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const first = await Session.open({ agent: agentOf(host, []), store: here });
    await first.prompt("1");
    const [began, held] = [gate(), gate()];
    const { scanEntries } = there;
    there.scanEntries = async (query) => {
      const entries = await scanEntries(query);
      began.open();
      await held.passed;
      return entries;
    };
    const agent = agentOf(host, []);
    const second = new Session({ agent, store: there });
    const follows = (count) =>
      new Promise((resolve) => {
        second.subscribe(({ type }) => {
          if (type === "changed" && texts(agent.state.messages).length === count) resolve();
        });
      });
    const [both, all] = [follows(2), follows(3)];
    await began.passed;
    await first.prompt("2");
    held.open();
    await both;
    await first.prompt("3");
    await all;
    equal(texts(agent.state.messages), ["1", "2", "3"]);
  },

  "a page that follows a long session has its turn while it reads": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const first = await Session.open({ agent: agentOf(host, []), store: here });
    await first.prompt("1");
    let parentId = first.tree.getLeafId();
    const entries = Array.from({ length: 15_000 }, (_, at) => {
      const entry = { type: "custom", customType: "note", id: `n${at}`, parentId };
      parentId = entry.id;
      return { kind: "entry", entry };
    });
    await here.commit(entries);
    const second = await Session.open({ agent: agentOf(host, []), store: there });
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const followed = new Promise((resolve) => {
      second.subscribe(({ type }) => type === "changed" && resolve());
    });
    await there.rename("Long");
    await followed;
    clearInterval(timer);
    equal(second.name, "Long");
    ok(turns > 1, `${turns} turns`);
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

  "a name that comes from a list of sessions leaves the messages that the application has set": async (
    host,
  ) => {
    const { Session } = host.session;
    const [here] = pages(host, 1);
    const agent = agentOf(host, ["One.", "Two."]);
    const session = await Session.open({ agent, store: here });
    await session.prompt("1");
    const set = [...agent.state.messages.slice(0, 2), { role: "user", content: "Set.", timestamp: 2 }];
    for (const give of [
      () => {
        agent.state.messages = set;
      },
      () => agent.state.messages.push({ role: "user", content: "Added.", timestamp: 3 }),
    ]) {
      give();
      const before = texts(agent.state.messages);
      const changed = new Promise((resolve) =>
        session.subscribe(({ type }) => type === "changed" && resolve()),
      );
      await here.rename(`After ${before.length}`);
      await changed;
      equal(session.name, `After ${before.length}`);
      equal(texts(agent.state.messages), before);
    }
    await session.prompt("2");
    equal(texts(agent.state.messages), ["1", "Set.", "Added.", "2"]);
    equal(texts(session.tree.buildSessionContext().messages), ["1", "Set.", "Added.", "2"]);
    await session.dispose({ keepStore: true });
    const again = await Session.open({ agent: agentOf(host, []), store: here });
    equal(texts(again.agent.state.messages), ["1", "Set.", "Added.", "2"]);
  },

  "what is done while a name from elsewhere is read stays": async (host) => {
    const { Session } = host.session;
    const [here] = pages(host, 1);
    const session = await Session.open({ agent: agentOf(host, []), store: here });
    await session.prompt("1");
    const [began, held] = [gate(), gate()];
    const { header } = here;
    here.header = async () => {
      began.open();
      await held.passed;
      return header();
    };
    const { scanEntries } = here;
    let read = await scanEntries({ order: "asc" });
    here.scanEntries = async (query) => {
      const entries = read ?? (await scanEntries(query));
      read = undefined;
      return entries;
    };
    await here.rename("Elsewhere");
    await began.passed;
    const { id } = session.tree.getEntries().find(({ message }) => message?.role === "user");
    const changed = new Promise((resolve) =>
      session.subscribe(({ type }) => type === "changed" && resolve()),
    );
    await session.setLabel(id, "here");
    held.open();
    await changed;
    equal([session.name, session.tree.getLabels()], ["Elsewhere", { [id]: "here" }]);
  },

  "what comes from other pages while nothing can be stored counts when it can": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const first = await Session.open({ agent: agentOf(host, []), store: here });
    await first.prompt("1");
    const second = await Session.open({ agent: agentOf(host, []), store: there });
    const { commit } = there;
    there.commit = async () => {
      throw new host.session.SessionError("quota");
    };
    // The other page does not hear of it.
    there.post = () => {};
    const receipt = second.send("2");
    await second.takeOver();
    await new Promise((resolve) => second.subscribe(({ type }) => type === "storage_error" && resolve()));
    await second.agent.waitForIdle();
    await there.rename("Meanwhile");
    await second.waitForIdle();
    equal([receipt.status, second.name, second.unsaved > 0], ["queued", undefined, true]);
    there.commit = commit;
    const changed = new Promise((resolve) => second.subscribe(({ type }) => type === "changed" && resolve()));
    await second.waitForIdle();
    equal(await receipt.settled, "delivered");
    await changed;
    equal([second.name, second.unsaved], ["Meanwhile", 0]);
    equal(texts(second.agent.state.messages), ["1", "2"]);
  },

  "what could not be stored when the session began is listed when it is": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const commit = here.commit;
    here.commit = async () => {
      throw new host.session.SessionError("quota");
    };
    const session = await Session.open({ agent: agentOf(host, []), store: here });
    await session.prompt("1");
    ok(session.unsaved > 0, "kept");
    const other = await Session.open({ agent: agentOf(host, []), store: there });
    await other.takeOver();
    here.commit = commit;
    await session.takeOver();
    equal([session.role, session.unsaved], ["writer", 0]);
    equal((await here.header())?.id, here.id);
    equal((await here.scanUsage()).length, 1);
    equal(texts(session.agent.state.messages), ["1"]);
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
};
