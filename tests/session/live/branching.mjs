// Moving in a session that goes on.
import { equal, ok, rejects } from "./check.mjs";
import { agentOf, gate, roles, stored, textOf, told } from "./world.mjs";

const user = (session, nth) =>
  session.tree.getEntries().filter(({ message }) => message?.role === "user")[nth];
const answer = (session, nth) =>
  session.tree.getEntries().filter(({ message }) => message?.role === "assistant")[nth];
const isSummary = (request) => request.context.systemPrompt !== undefined;

async function sessionOf(host, answers, more = {}) {
  const { Session, MemoryStore } = host.session;
  const store = new MemoryStore();
  const agent = agentOf(host, answers);
  const session = await Session.open({ agent, store, ...more });
  return { agent, store, session, events: told(session) };
}

export const branching = {
  "a message is edited and sent again, and both versions stay": async (host) => {
    const { agent, session, events } = await sessionOf(host, ["One.", "Two.", "Other."]);
    await session.prompt("1");
    await session.prompt("2");
    const before = session.tree.getLeafId();
    await session.editAndResend(user(session, 1).id, "2b");
    equal(agent.state.messages.slice(1).map(textOf), ["1", "One.", "2b", "Other."]);
    const moved = events.find(({ type }) => type === "session_tree");
    equal([moved.oldLeaf, moved.newLeaf], [before, answer(session, 0).id]);
    const { entries, index } = session.versions(user(session, 2).id);
    equal([entries.map(({ message }) => textOf(message)), index], [["2", "2b"], 1]);
    await session.switchTo(entries[0].id);
    equal(session.tree.getLeafId(), before);
    equal(agent.state.messages.slice(1).map(textOf), ["1", "One.", "2", "Two."]);
  },

  "a message that was never answered is edited, too": async (host) => {
    const { MemoryStore, Session, SessionTree, treeWrites } = host.session;
    const store = new MemoryStore();
    const tree = SessionTree.create({ id: store.id });
    for (const content of ["1", "typo"]) tree.appendMessage({ role: "user", content, timestamp: 1 });
    await store.commit(treeWrites(tree));
    const agent = agentOf(host, []);
    const session = await Session.open({ agent, store });
    await session.editAndResend(tree.getLeafId(), "2");
    equal(agent.state.messages.slice(1).map(textOf), ["1", "2", "done"]);
  },

  "an answer is given again": async (host) => {
    const { agent, session } = await sessionOf(host, ["One.", "Two."]);
    await session.prompt("1");
    await session.regenerate();
    equal(agent.state.messages.slice(1).map(textOf), ["1", "Two."]);
    const { entries, index } = session.versions(answer(session, 1).id);
    equal([entries.map(({ message }) => textOf(message)), index], [["One.", "Two."], 1]);
    equal(roles(agent.requests[1].messages), "system user");
    const { session: empty } = await sessionOf(host, []);
    await rejects(empty.regenerate(), "invalid_request");
  },

  "an answer is given again in the form that is asked for": async (host) => {
    const { session, agent } = await sessionOf(host, ["1", "2", "3"]);
    const responseSchema = { type: "object", properties: {} };
    await session.prompt("First.", { responseSchema });
    await session.regenerate(undefined, { responseSchema });
    await session.regenerate();
    equal(
      agent.requests.map(({ options }) => options.responseSchema),
      [responseSchema, responseSchema, undefined],
    );
  },

  "going to a message gives its text back, and the place is kept": async (host) => {
    const { Session } = host.session;
    const { agent, store, session } = await sessionOf(host, []);
    await session.prompt("1");
    await session.prompt([{ role: "user", content: [{ type: "text", text: "2" }], timestamp: 1 }]);
    equal(await session.navigate(session.tree.getLeafId()), { cancelled: false });
    equal(await session.navigate(user(session, 1).id), { cancelled: false, editorText: "2" });
    equal(roles(agent.state.messages), "system user assistant");
    await session.dispose({ keepStore: true });
    const again = await Session.open({ agent: agentOf(host, []), store });
    equal(again.tree.getLeafId(), answer(again, 0).id);
    equal(await again.navigate(answer(again, 1).id, { label: "end" }), { cancelled: false });
    equal(again.tree.getLabels(), { [answer(again, 1).id]: "end" });
    equal(await again.navigate(user(again, 0).id), { cancelled: false, editorText: "1" });
    equal(roles(again.agent.state.messages), "system");
    await again.branch(user(again, 0).id);
    equal(roles(again.agent.state.messages), "system user");
    await rejects(again.navigate("nobody"), "unknown_entry");
  },

  "what is left behind is summarised": async (host) => {
    const { agent, session, store, events } = await sessionOf(host, ["One.", "Two.", "What was tried."]);
    await session.prompt("1");
    await session.prompt("2");
    const { summaryEntry, editorText } = await session.navigate(user(session, 1).id, {
      ...{ summarize: true, instructions: "the colours", label: "back" },
    });
    equal(editorText, "2");
    const request = agent.requests.find(isSummary);
    ok(textOf(request.messages[0]).includes("Additional focus: the colours"), "focus");
    equal(agent.state.messages.map(({ role }) => role).join(" "), "system user assistant branchSummary");
    ok(summaryEntry.summary.includes("What was tried."), summaryEntry.summary);
    equal(session.tree.getLabels(), { [summaryEntry.id]: "back" });
    equal(events.find(({ type }) => type === "session_tree").summaryEntry.id, summaryEntry.id);
    ok((await stored(store)).endsWith("branch_summary label"), await stored(store));
    await session.prompt("2b");
    equal(roles(agent.requests.at(-1).messages), "system user assistant user user");
    equal(session.versions(user(session, 1).id).entries.length, 2);
  },

  "a move with a summary can be stopped, by a hook and on the way": async (host) => {
    const arrived = gate();
    const said = [];
    let change;
    const hooks = {
      beforeNavigation: ({ targetId, entriesToSummarize }) => {
        said.push([targetId, entriesToSummarize.length]);
        return change;
      },
      afterNavigation: ({ fromHook }) => said.push(fromHook),
    };
    const { agent, session, store } = await sessionOf(host, ["One.", "Two."], { hooks });
    await session.prompt("1");
    await session.prompt("2");
    const target = user(session, 1).id;
    const before = await stored(store);
    change = { cancel: true };
    equal(await session.navigate(target, { summarize: true }), { cancelled: true });
    equal(said, [[target, 1]]);
    change = undefined;
    const { streamFunction } = agent;
    agent.streamFunction = async (_model, _context, { signal }) => {
      arrived.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return streamFunction(_model, _context, { signal });
    };
    const moved = session.navigate(target, { summarize: true });
    await arrived.passed;
    await rejects(session.branch(target), "busy");
    await rejects(session.compact(), "busy");
    session.abortCompaction();
    equal(await moved, { cancelled: true });
    equal(await stored(store), before);
    agent.streamFunction = streamFunction;
    change = { summary: { summary: "By hand." } };
    const { summaryEntry } = await session.navigate(target, { summarize: true });
    equal([summaryEntry.summary, summaryEntry.fromHook, said.at(-1)], ["By hand.", true, true]);
  },

  "a move is stopped whoever does not listen, and what is told of it may send a prompt": async (host) => {
    const { Session, MemoryStore } = host.session;
    let session;
    let arrived = () => {};
    const hooks = {
      beforeNavigation: () => new Promise(() => arrived()),
    };
    const agent = agentOf(host, ["1", "2", "3"]);
    session = await Session.open({ agent, store: new MemoryStore(), hooks });
    await session.prompt("First.");
    await session.prompt("Second.");
    const [first] = agent.state.messages.filter(({ role }) => role === "user");
    const came = new Promise((resolve) => {
      arrived = resolve;
    });
    const moving = session.navigate(session.entryOf(first).id);
    await came;
    session.abortCompaction();
    equal(await moving, { cancelled: true });
    hooks.beforeNavigation = undefined;
    hooks.afterNavigation = () => session.prompt("From the hook.");
    await session.navigate(session.entryOf(first).id);
    equal(textOf(agent.state.messages.findLast(({ role }) => role === "user")), "From the hook.");
  },

  "nothing moves while an answer comes": async (host) => {
    const held = gate();
    const arrived = gate();
    const { agent, session } = await sessionOf(host, ["One."]);
    await session.prompt("1");
    const { streamFunction } = agent;
    agent.streamFunction = async (...args) => {
      arrived.open();
      await held.passed;
      return streamFunction(...args);
    };
    const prompted = agent.prompt("2");
    await arrived.passed;
    await rejects(session.navigate(user(session, 0).id), "busy");
    await rejects(session.branch(user(session, 0).id), "busy");
    held.open();
    await prompted;
  },

  "a session, or a branch of it, is copied into another store": async (host) => {
    const { Session, MemoryStore } = host.session;
    const { session, store } = await sessionOf(host, []);
    await session.prompt("1");
    await session.prompt("2");
    await session.setName("Mine");
    const whole = await Session.open({ agent: agentOf(host, []), store: await session.fork() });
    equal(roles(whole.agent.state.messages), "system user assistant user assistant");
    equal([whole.name, whole.tree.getHeader().parentSession], ["Mine", session.id]);
    ok(whole.id !== session.id, "another id");
    const target = new MemoryStore();
    const part = await session.fork({ store: target, entryId: answer(session, 0).id });
    equal(part === target, true);
    const copy = await Session.open({ agent: agentOf(host, []), store: part });
    equal(roles(copy.agent.state.messages), "system user assistant");
    await copy.prompt("Other.");
    equal(roles(session.agent.state.messages), "system user assistant user assistant");
    await rejects(session.fork({ store }), "not_empty");
  },

  "a copy of a path keeps the name in its file": async (host) => {
    const { session } = await sessionOf(host, ["1", "2"]);
    await session.prompt("First.");
    await session.setName("Harbour");
    await session.prompt("Second.");
    for (const entryId of [user(session, 0).id, undefined]) {
      const store = await session.fork({ entryId });
      const copy = await host.session.Session.open({ agent: agentOf(host, []), store });
      equal(host.session.SessionTree.import(copy.tree.export()).getSessionName(), "Harbour", entryId);
    }
  },

  "the tree is there for views": async (host) => {
    const { session } = await sessionOf(host, []);
    await session.prompt("1");
    await session.regenerate();
    const [root] = session.getTree();
    let count = 0;
    const open = [root];
    for (const { children } of open) {
      count++;
      open.push(...children);
    }
    equal(count, session.tree.getEntries().length);
  },
};
