// Mistakes that a type checker would find: every public function of sessions, stores and pages is called with every kind
// of value in the place of every argument. What is refused says which argument it is, and nothing has changed then.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as html from "../../npm/dist/html.js";
import { Agent, init } from "../../npm/dist/index.js";
import * as sessions from "../../npm/dist/session.js";
import * as stores from "../../npm/dist/stores.js";
import { model, scripted } from "../shell/scripted.mjs";

await init();
const { MemoryStore, Session, SessionTree, treeWrites } = sessions;
const { JsonlStore, textLog } = stores;

const wrong = {
  ...{ undefined: undefined, null: null, number: 7, boolean: true, string: "x", object: {}, array: [] },
  ...{ function: () => {}, bigint: 7n },
};

const user = { role: "user", content: "x", timestamp: 1 };
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } };

function treeOf(count = 3) {
  const tree = SessionTree.create();
  for (let at = 0; at < count; at++) tree.appendMessage(user);
  return tree;
}

async function filled(store = new MemoryStore()) {
  await store.commit(treeWrites(treeOf()));
  return store;
}

const agentOf = () => new Agent({ streamFn: scripted([]), initialState: { model } });
const leafOf = async (store) => (await store.scanEntries({ order: "asc" })).at(-1).id;
const all = async (store) => [
  await store.scanEntries({ order: "asc" }),
  await store.scanUsage(),
  await store.header(),
  ...(await Promise.all((await store.namespaces()).map((name) => store.scanValues(name)))),
];

/** `make` gives a call, what it is given, and what must be the same after a refusal. */
const functions = {};
const on = (name, make) => {
  functions[name] = make;
};
/** Methods of what `make` makes; `args(target)` gives good arguments by method. */
const methods = (kind, make, look, args) => {
  for (const name of Object.keys(args({}, "")))
    on(`${kind}.${name}`, async () => {
      const target = await make();
      const leaf = await (target.scanEntries ? leafOf(target) : (target.tree ?? target).getLeafId?.());
      return {
        call: (...given) => target[name](...given),
        good: args(target, leaf)[name],
        look: () => look(target),
      };
    });
};
const plain = (module, args) => {
  for (const name of Object.keys(args({})))
    on(name, async () => {
      const given = { tree: treeOf(), store: await filled() };
      given.leaf = await leafOf(given.store);
      const look = async () => [given.tree.export(), await all(given.store)];
      return { call: module[name], good: args(given)[name], look };
    });
};

methods(
  "SessionTree",
  () => treeOf(),
  (tree) => tree.export(),
  (_, leaf) => ({
    ...{ getEntry: { id: leaf }, getBranch: { from: leaf }, getChildren: { of: null } },
    ...{ buildSessionContext: { leaf }, contextSize: { leaf }, appendMessage: { message: user } },
    ...{ appendModelChange: { provider: "p", modelId: "m" }, appendThinkingLevelChange: { level: "off" } },
    appendCustomEntry: { customType: "t", data: 1 },
    appendCustomMessageEntry: { customType: "t", content: "c", display: true, details: 1 },
    ...{ appendSessionInfo: { name: "n" }, appendLabelChange: { target: leaf, label: "l" } },
    appendUsage: { kind: "k", provider: "p", model: "m", usage, note: "n" },
    appendCompaction: { summary: "s", firstKeptEntryId: leaf, tokensBefore: 1, extras: {} },
    ...{ appendContextEdit: { target: leaf, replacement: null }, branch: { to: leaf } },
    branchWithSummary: { to: leaf, summary: "s", extras: {} },
    ...{ createBranchedSession: { leaf, options: {} }, fork: { id: "copy" }, export: { options: {} } },
    ...{ getTree: {}, getEntries: {}, getLeafId: {}, getLabels: {}, getSessionName: {}, getSessionId: {} },
    ...{ getHeader: {}, resetLeaf: {}, dispose: {} },
  }),
);
const header = treeOf().getHeader();
for (const [name, good] of Object.entries({
  ...{ create: { options: {} }, from: { header, entries: [], options: {} } },
  fromAsync: { header, entries: [], options: {} },
  ...{
    import: { text: treeOf().export(), options: {} },
    importAsync: { source: treeOf().export(), options: {} },
  },
  importWebUi: { row: { id: "a", messages: [] }, options: {} },
}))
  on(`SessionTree.${name}`, () => ({ call: (...given) => SessionTree[name](...given), good }));

methods(
  "Session",
  async () => Session.open({ agent: agentOf(), store: await filled() }),
  async ({ agent, store, tree }) => [await all(store), tree.export(), tree.getLeafId(), agent.state.messages],
  (_, leaf) => ({
    ...{ prompt: { input: "x", options: {} }, continue: { options: {} }, steer: { message: user } },
    ...{ followUp: { message: user }, send: { input: "x", images: [] }, compact: { instructions: "x" } },
    ...{ navigate: { targetId: leaf, options: {} }, branch: { entryId: leaf } },
    ...{
      editAndResend: { entryId: leaf, input: "x", options: {} },
      regenerate: { entryId: leaf, options: {} },
    },
    ...{ versions: { entryId: leaf }, switchTo: { entryId: leaf }, fork: { options: {} } },
    ...{ entryOf: { message: user }, setName: { name: "n" }, setLabel: { entryId: leaf, label: "l" } },
    ...{ subscribe: { listener: () => {} }, dispose: { options: {} }, waitForIdle: {}, getTree: {} },
    ...{ abortCompaction: {}, contextUsage: {}, events: {}, takeOver: {} },
  }),
);
for (const option of [
  ...["agent", "store", "branch", "compaction", "hooks", "findModel", "cwd", "ids", "now"],
])
  on(`Session{${option}}`, async () => {
    const rest = { agent: agentOf(), store: await filled() };
    return {
      call: (value) => Session.open({ ...rest, [option]: value }),
      good: { [option]: rest[option] },
      look: () => all(rest.store),
      // An agent whose session was refused may have another one.
      after: async () => (await Session.open(rest)).dispose(),
    };
  });
const made = { agent: agentOf(), store: new MemoryStore() };
on("Session", () => ({ call: (options) => new Session(options), good: { options: { ...made } } }));
on("Session.open", () => ({ call: (options) => Session.open(options), good: { options: made } }));

plain(sessions, ({ tree, store, leaf }) => ({
  appendTo: { store, branch: "main", id: "new", entry: { type: "custom" } },
  ...{ createBranch: { store, name: "b", at: null }, moveTip: { store, name: "main", to: null } },
  ...{ setLabel: { store, entry: leaf, label: "l" }, setName: { store, name: "n" } },
  ...{ forkWrites: { store, scope: { scope: "tree" } }, treeWrites: { tree, branch: "main" } },
  ...{ calculateContextTokens: { usage }, collectEntriesForBranchSummary: { tree, from: null, to: null } },
  compact: { tree, options: { model, streamFn: scripted(["s"]), settings: { keepRecentTokens: 1 } } },
  ...{ convertToLlm: { messages: [user] }, estimateContextTokens: { messages: [user] } },
  ...{ estimateTokens: { message: user }, fileOperations: { messages: [user], files: {} } },
  findCutPoint: { tree, start: 0, end: 1, keepRecentTokens: 1 },
  overflowOf: { message: { role: "assistant", content: [], usage }, contextWindow: 1, maxTokens: 1 },
  prepareBranchEntries: { tree, entries: [], tokenBudget: 0, files: {} },
  ...{ prepareCompaction: { tree, settings: {}, files: {} }, redact: { tree, options: {} } },
  ...{ replay: { tree, options: {} }, serializeConversation: { messages: [user] } },
  setOrDelete: { namespace: "a", key: "b", value: 1 },
  setValue: { namespace: "a", key: "b", value: 1 },
  shouldCompact: { contextTokens: 1, contextWindow: 1, settings: {} },
  summarize: {
    preparation: tree && sessions.prepareCompaction(tree, { keepRecentTokens: 1 }),
    options: { model, streamFn: scripted(["s"]) },
  },
  summarizeBranch: {
    part: { messages: [user], readFiles: [], modifiedFiles: [] },
    options: { model, streamFn: scripted(["s"]) },
  },
  ...{ withoutFailed: { messages: [user] }, openStore: { options: {} }, initSessions: { source: undefined } },
}));
plain(html, ({ tree }) => ({
  exportHtml: { session: tree, options: {} },
  importHtml: { page: tree && html.exportHtml(tree).html },
}));
plain(stores, () => ({
  ...{ textLog: { text: "" }, fileHandleLog: { handle: {} }, opfsLog: { id: "a", folder: "f" } },
  remoteLog: { url: "http://127.0.0.1:9/", options: {} },
  ...{ listOpfs: { options: {} }, removeOpfs: { id: "a", options: {} } },
}));
for (const [name, make] of Object.entries({
  MemoryStore: () => new MemoryStore(),
  JsonlStore: () => new JsonlStore(textLog()),
}))
  methods(
    name,
    () => filled(make()),
    all,
    (_, leaf) => ({
      ...{ subscribe: { listener: () => {} }, commit: { writes: [], options: {} }, entries: { ids: [] } },
      ...{ value: { namespace: "a", key: "b" }, scanValues: { namespace: "a", prefix: "" } },
      readList: { namespace: "a", key: "b", page: {} },
      ...{ scanBranch: { query: { start: leaf } }, scanEntries: { query: {} }, scanUsage: {} },
      ...{ open: {}, header: {}, takeOver: {}, namespaces: {}, stats: {}, close: {} },
    }),
  );
// Where there is no database, what is looked at before it is asked for.
for (const name of ["MemoryStore", "IndexedDbStore", "SessionCatalog"])
  on(name, () => ({ call: (options) => new sessions[name](options), good: { options: {} } }));
on("JsonlStore", () => ({
  call: (log, options) => new JsonlStore(log, options),
  good: { log: textLog(), options: {} },
}));
on("OpfsStore", () => ({ call: (options) => new stores.OpfsStore(options), good: { options: {} } }));
on("RemoteStore", () => ({
  call: (url, options) => new stores.RemoteStore(url, options),
  good: { url: "http://127.0.0.1:9/", options: {} },
}));

/** What came of a call: what it threw, or what its promise, or its stream, was rejected with. */
async function thrownBy(call, args) {
  try {
    const given = await call(...args);
    await given?.result?.();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

/** These must be refused: nothing sensible could be done. */
const refused = (name, argument, kind) => {
  if (["tree", "session", "store"].includes(argument)) return true;
  if (argument === "message" && /(appendMessage|steer|followUp)$/.test(name)) return kind !== "object";
  const types = { options: "object", writes: "array", ids: "array", query: "object", page: "object" };
  return Object.hasOwn(types, argument) && kind !== "undefined" && kind !== types[argument];
};
/** Functions that take any value in the place of an argument that others refuse. */
const takesAny = new Set([
  ...["Session.prompt options", "Session.editAndResend options", "Session.navigate options"],
  ...["MemoryStore.commit options", "JsonlStore.commit options", "Session{ids} ids", "importHtml page"],
]);

for (const [name, make] of Object.entries(functions))
  test(`${name} says which argument is wrong`, async () => {
    for (const [place, argument] of Object.keys((await make()).good).entries())
      for (const [kind, value] of Object.entries(wrong)) {
        const { call, good, look, after } = await make();
        const before = look && JSON.stringify(await look());
        const args = Object.values(good);
        args[place] = value;
        const thrown = await thrownBy(call, args);
        const what = `${name}, ${argument} is ${kind}`;
        if (!thrown) {
          assert.ok(
            !refused(name, argument, kind) || takesAny.has(`${name} ${argument}`),
            `${what}: not refused`,
          );
          continue;
        }
        const said = `${what}: ${thrown.name} ${thrown.message}`;
        assert.match(thrown.name, /^(SessionError|AgentError|AgentBusyError|CompactionError)$/, said);
        if (thrown.name === "AgentError" && thrown.code === "invalid_request") {
          const names = [argument, `the iterator of ${argument}`];
          const named = names.some((name) => thrown.message.startsWith(name));
          // A member of options is named itself; some things are right in themselves, and there is nothing to do.
          const other =
            argument === "options" ? /^\w+(\.\w+)* has to be|^There is no / : /^There is no message/;
          assert.ok(
            named || other.test(thrown.message) || thrown.message === "No messages to continue from",
            said,
          );
        }
        if (look) assert.equal(JSON.stringify(await look()), before, what);
        await after?.();
      }
  });

test("no public function is left out", () => {
  const names = new Set(Object.keys(functions));
  const missing = [];
  const errors = ["SessionError", "CompactionError"];
  // Theirs are the methods of other stores, and what a database answers: see the contract of stores.
  const elsewhere = ["IndexedDbStore", "SessionCatalog", "OpfsStore", "RemoteStore"];
  for (const [name, value] of Object.entries({ ...sessions, ...stores, ...html })) {
    if (typeof value !== "function" || errors.includes(name)) continue;
    if (name !== "SessionTree" && !names.has(name)) missing.push(name);
    if (elsewhere.includes(name)) continue;
    for (const [own, { value: method }] of Object.entries({
      ...Object.getOwnPropertyDescriptors(value.prototype ?? {}),
    }))
      if (typeof method === "function" && !["constructor", ...internal].includes(own))
        if (!names.has(`${name}.${own}`)) missing.push(`${name}.${own}`);
  }
  assert.deepEqual(missing, []);
});
/** Not for applications. */
const internal = ["findLast", "has", "at", "ask", "begin", "lines"];
