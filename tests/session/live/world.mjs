// What the cases of a live session are made of. `host` has the package: `steersman` and `session`.
import { model, scripted, textOf, toolOf, usageOf } from "../../shell/scripted.mjs";

export { call, model, scripted, textOf, toolOf, usageOf, user } from "../../shell/scripted.mjs";

/** An agent with a prompt and a tool `look`, which answers what it is told to. */
export function agentOf(host, answers, { state = {}, usage, ...options } = {}) {
  const streamFn =
    typeof answers === "function" ? answers : scripted(answers, { usage: usage ?? usageOf(0, 0) });
  const initialState = { model, systemPrompt: "Be brief.", tools: [toolOf("look")], ...state };
  const agent = new host.steersman.Agent({ streamFn, initialState, ...options });
  return Object.assign(agent, { requests: streamFn.requests });
}

/** What the user said. */
export const texts = (messages) => messages.filter(({ role }) => role === "user").map(textOf);

export const roles = (messages) => messages.map(({ role }) => role).join(" ");

/** The types of the stored entries, messages by their roles. */
export async function stored(store) {
  const entries = await store.scanEntries({ order: "asc" });
  return entries.map(({ type, message }) => message?.role ?? type).join(" ");
}

/** The types of the events so far, in a list that grows. */
export function told(session) {
  const events = [];
  session.subscribe((event) => events.push(event));
  return events;
}

/** A store whose commits fail as `failures` says, from its front: a code, or nothing for one that works. */
export function failing(host, failures) {
  const store = new host.session.MemoryStore();
  const commit = store.commit.bind(store);
  const attempts = [];
  store.commit = async (writes) => {
    attempts.push(writes);
    const code = failures.shift();
    if (code === "lost_answer") {
      await commit(writes);
      throw new host.session.SessionError("failed");
    }
    if (code) throw new host.session.SessionError(code);
    return commit(writes);
  };
  return Object.assign(store, { attempts });
}

/** One session that several pages have open, of which the first is the writer. */
export function pages(host, count) {
  const inner = new host.session.MemoryStore();
  const listeners = new Set();
  let writer = 0;
  const tell = (event, but) => {
    for (const [page, listener] of listeners) if (page !== but) listener(event);
  };
  return Array.from({ length: count }, (_, page) => ({
    ...{ id: inner.id, persisted: false, open: () => inner.open(), header: () => inner.header() },
    get role() {
      return page === writer ? "writer" : "mirror";
    },
    subscribe(listener) {
      const entry = [page, listener];
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    async takeOver() {
      const before = writer;
      writer = page;
      for (const [one, listener] of [...listeners])
        if (one === before || one === page)
          listener({ type: "role", role: one === page ? "writer" : "mirror" });
    },
    async commit(writes) {
      if (page !== writer) throw new host.session.SessionError("fenced");
      const done = await inner.commit(writes);
      tell({ type: "changed", firstSeq: done.firstSeq, lastSeq: done.firstSeq + writes.length - 1 }, page);
      return done;
    },
    ...Object.fromEntries(
      [
        "entries",
        "value",
        "scanValues",
        "namespaces",
        "readList",
        "scanBranch",
        "scanEntries",
        "scanUsage",
        "stats",
      ].map((name) => [name, (...args) => inner[name](...args)]),
    ),
    async close() {},
    post(message) {
      tell({ type: "heard", message: structuredClone(message) }, page);
    },
    /** A list of sessions gives it a name, whoever writes. */
    async rename(name) {
      const id = `name-${name}`;
      const entry = { type: "session_info", id, parentId: await inner.value("pi.branch.tip", "main"), name };
      const tip = { kind: "value", op: "set", namespace: "pi.branch.tip", key: "main", value: id };
      const { firstSeq } = await inner.commit([{ kind: "entry", entry }, tip]);
      tell({ type: "changed", firstSeq, lastSeq: firstSeq + 1 });
    },
    /** The writer changes, and nobody is told. */
    steal() {
      writer = page;
    },
  }));
}

/** A promise, and what resolves it. */
export function gate() {
  let open = () => {};
  const passed = new Promise((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
