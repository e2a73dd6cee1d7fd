// The measured page: one figure per call, of sessions made by data.mjs.
import { Agent, init, streamSimple } from "steersman";
import { IndexedDbStore, Session, SessionCatalog, SessionTree } from "steersman/session";
import { entriesOf, header, textOf } from "./data.mjs";

const user = { role: "user", content: "and then?".repeat(20), timestamp: 1 };
const model = { id: "m", provider: "p", api: "openai-completions", contextWindow: 200_000, maxTokens: 1000 };

/** The same session as objects that nobody has touched yet, as a store gives them. */
const stored = (count) => JSON.parse(JSON.stringify(entriesOf(count)));

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** The longest time that a timer waits while `work` goes on, and how long all takes. */
async function longestBlock(work) {
  let [longest, last, over] = [0, performance.now(), false];
  const watch = async () => {
    while (!over) {
      await turn();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const watching = watch();
  const begun = performance.now();
  const result = await work();
  const all = performance.now() - begun;
  await turn();
  over = true;
  await watching;
  return { result, longest, all };
}

const expect = (got, wanted, what) => {
  if (got !== wanted) throw new Error(`${what}: ${got} instead of ${wanted}`);
};

/** Each makes what it needs, and gives the work that is measured. */
const figures = {
  /** From entries at hand to the first context. */
  openEntries(count) {
    const entries = stored(count);
    return () => {
      const tree = SessionTree.from(header, entries);
      if (tree.buildSessionContext().messages.length === 0) throw new Error("no context");
      expect(tree.getEntries().length, count, "entries");
    };
  },

  /** From a file to the first context. */
  openText(count) {
    const text = textOf(entriesOf(count));
    return () => {
      const tree = SessionTree.import(text);
      tree.buildSessionContext();
      expect(tree.getEntries().length, count, "entries");
    };
  },

  /** Puts a session into the database. */
  store(count, options) {
    const text = textOf(entriesOf(count, options));
    return () => new SessionCatalog({ database: "bench" }).import(text);
  },

  /** From the database to an agent that has its messages. */
  openStored(_count, id) {
    const agent = new Agent({ initialState: { model }, streamFn: streamSimple });
    return async () => {
      const session = await Session.open({ agent, store: new IndexedDbStore({ id, database: "bench" }) });
      if (agent.state.messages.length === 0) throw new Error("no messages");
      // It is over when the page closes.
      opened = session;
    };
  },

  /** All entries as objects, of a session that was opened from the database. */
  async lookAtAll(count, id) {
    await figures.openStored(count, id)();
    return () => expect(opened.tree.getEntries().length, count, "entries");
  },

  /** A file read in slices. */
  importBlock(count) {
    const blob = new Blob([textOf(entriesOf(count))]);
    return async () => {
      const { result, longest } = await longestBlock(() => SessionTree.importAsync(blob));
      expect(result.getEntries().length, count, "entries");
      return { longest };
    };
  },

  /** 2,000 appends to a session of that length. */
  append(count) {
    const tree = SessionTree.from(header, stored(count));
    for (let at = 0; at < 500; at++) tree.appendMessage(user);
    return () => {
      for (let at = 0; at < 2000; at++) tree.appendMessage(user);
      expect(tree.getEntries().length, count + 2500, "entries");
    };
  },

  /** One question to a session of that length. */
  ask(count, question) {
    const tree = SessionTree.from(header, stored(count));
    return () => void tree[question]();
  },
};

let work;
let opened;
globalThis.bench = {
  ready: init(),
  prepare: async (name, ...args) => {
    work = await figures[name](...args);
  },
  /** Does it; the time it took in milliseconds, and what it tells. */
  async run() {
    const begun = performance.now();
    const told = await work();
    return { wall: performance.now() - begun, ...told };
  },
};
