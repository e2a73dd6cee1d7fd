// Messages that one page hands to another, which answers them.
import { equal, ok } from "./check.mjs";
import { agentOf, gate, pages, scripted, stored, texts } from "./world.mjs";

const turn = "user assistant";

/** A stream function that holds its first answer back. */
function holding() {
  const [arrived, held] = [gate(), gate()];
  const streamFn = scripted(["First.", "Second.", "Third."]);
  let first = true;
  return {
    ...{ arrived, held },
    streamFn: async (...args) => {
      if (first) {
        first = false;
        arrived.open();
        await held.passed;
      }
      return streamFn(...args);
    },
  };
}

export const handing = {
  "a message of the page that follows is answered by the one that writes": async (host) => {
    const { Session } = host.session;
    const [here, there, third] = pages(host, 3);
    const { streamFn, arrived, held } = holding();
    const first = await Session.open({ agent: agentOf(host, streamFn), store: here });
    const agent = agentOf(host, []);
    // Before it is open, and while the other page answers.
    const second = new Session({ agent, store: there });
    const receipts = [second.send("1")];
    await arrived.passed;
    receipts.push(second.send({ role: "user", content: "2", timestamp: 2 }));
    equal(receipts.map(({ status }) => status).join(" "), "queued queued");
    held.open();
    equal(await Promise.all(receipts.map(({ settled }) => settled)), ["delivered", "delivered"]);
    equal(texts(agent.state.messages), ["1", "2"], "it is here when that is said");
    await first.waitForIdle();
    // Whoever writes himself needs nobody.
    equal(await first.send("3").settled, "delivered");
    await first.waitForIdle();
    await second.agent.waitForIdle();
    const failed = [];
    const note = ({ type, error }) => type === "warning" && failed.push(error.cause.name);
    second.subscribe(note);
    equal(await second.send({ role: "odd", content: [], act() {} }).settled, "dropped", "no clone");
    third.post = undefined;
    const alone = await Session.open({ agent: agentOf(host, []), store: third });
    alone.subscribe(note);
    equal(await alone.send("Hello?").settled, "dropped");
    equal(failed, ["DataCloneError", "AgentBusyError"]);
    equal(await stored(here), `system model_change thinking_level_change ${turn} ${turn} ${turn}`);
  },

  "what makes no sense on the way between pages is told, and nothing happens": async (host) => {
    const { Session } = host.session;
    const [here, there] = pages(host, 2);
    const session = await Session.open({ agent: agentOf(host, []), store: here });
    const warned = new Promise((resolve) => {
      session.subscribe(({ type, error }) => type === "warning" && resolve(error.message));
    });
    for (const message of [undefined, 1, {}, { id: "a", outcome: "delivered" }, { message: 1 }])
      there.post(message);
    ok((await warned).includes("handed on"), await warned);
    await session.prompt("1");
    equal(await stored(here), `system model_change thinking_level_change ${turn}`);
  },

  "a message that was handed to a page that goes is sent once": async (host) => {
    const { Session } = host.session;
    // Before it is stored there, and after.
    for (const late of [false, true]) {
      const [here, there] = pages(host, 2);
      const { streamFn, arrived, held } = holding();
      const first = await Session.open({ agent: agentOf(host, streamFn), store: here });
      const agent = agentOf(host, ["Here.", "Here, too."]);
      const second = await Session.open({ agent, store: there });
      const running = late ? undefined : first.prompt("0");
      if (!late) await arrived.passed;
      const receipt = second.send("1");
      if (late) await arrived.passed;
      here.post = () => {};
      await second.takeOver();
      held.open();
      equal(await receipt.settled, "delivered");
      await running;
      await first.agent.waitForIdle();
      await second.waitForIdle();
      await first.takeOver();
      await first.prompt("2");
      const said = first.tree.getEntries().flatMap(({ message }) => (message ? texts([message]) : []));
      equal(said.sort(), late ? ["1", "2"] : ["0", "1", "2"]);
    }
  },

  "a message that is handed on is looked for where it can be, not in all of a long session": async (host) => {
    const { Session, SessionTree } = host.session;
    const [here, there] = pages(host, 2);
    let parentId = null;
    const entries = Array.from({ length: 5000 }, (_, at) => {
      const entry = { type: "custom", customType: "note", id: `n${at}`, parentId };
      parentId = entry.id;
      return { kind: "entry", entry };
    });
    await here.commit(entries);
    const first = await Session.open({ agent: agentOf(host, ["One.", "Two."]), store: here });
    const second = await Session.open({ agent: agentOf(host, []), store: there });
    const { at, getEntries } = SessionTree.prototype;
    let looked = 0;
    const count = (tree, entries) => {
      if (tree === first.tree) looked += entries;
    };
    SessionTree.prototype.at = function (places) {
      count(this, 1);
      return at.call(this, places);
    };
    SessionTree.prototype.getEntries = function () {
      count(this, this.count);
      return getEntries.call(this);
    };
    try {
      for (const text of ["1", "2"]) equal(await second.send(text).settled, "delivered");
      ok(looked < 500, `${looked} entries`);
    } finally {
      Object.assign(SessionTree.prototype, { at, getEntries });
    }
    equal(texts(first.agent.state.messages), ["1", "2"]);
  },
};
