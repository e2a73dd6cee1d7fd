// The adapter of the recorded session and compaction cases (../shared/conformance-session/README.md): a thin layer over
// the public API of the package.
import "steersman";
import * as session from "steersman/session";

const { MemoryStore, SessionTree } = session;

/** A session of the player. */
function sessionOf(first, ids, now) {
  let tree = first;
  let reports = tree.reports;
  const extras = ({ details, usage, fromHook }) => ({ details, usage, fromHook });
  const idsOf = (entries) => entries.map(({ id }) => id);
  const ops = {
    appendMessage: (a) => tree.appendMessage(a.message),
    appendThinkingLevelChange: (a) => tree.appendThinkingLevelChange(a.level),
    appendModelChange: (a) => tree.appendModelChange(a.provider, a.modelId),
    appendCompaction: (a) => tree.appendCompaction(a.summary, a.firstKeptEntryId, a.tokensBefore, extras(a)),
    appendCustomEntry: (a) => tree.appendCustomEntry(a.customType, a.data),
    appendCustomMessage: (a) => tree.appendCustomMessageEntry(a.customType, a.content, a.display, a.details),
    appendSessionInfo: (a) => tree.appendSessionInfo(a.name),
    appendLabel: (a) => tree.appendLabelChange(a.target, a.label),
    appendContextEdit: (a) => tree.appendContextEdit(a.target, a.replacement),
    appendUsage: (a) => tree.appendUsage(a.kind, a.provider, a.model, a.usage, a.note),
    branch: (a) => tree.branch(a.to),
    resetLeaf: () => tree.resetLeaf(),
    branchWithSummary: (a) => tree.branchWithSummary(a.to, a.summary, extras(a)),
    createBranchedSession: (a) => {
      tree = tree.createBranchedSession(a.leaf);
    },
    newSession: (a) => {
      tree = SessionTree.create({ ...a.options, ids, now });
      reports = [];
    },
    getChildren: (a) => idsOf(tree.getChildren(a.of)),
    getBranch: (a) => idsOf(tree.getBranch(a.of)),
    getEntry: (a) => tree.getEntry(a.id)?.type ?? null,
  };
  return {
    apply(op) {
      return ops[op.op](op);
    },
    observe() {
      const { type, version, cwd, parentSession } = tree.getHeader();
      const { messages, model, thinkingLevel, entries } = tree.buildSessionContext();
      return {
        header: { type, version, cwd, hasParent: parentSession !== undefined },
        sessionId: tree.getSessionId(),
        entries: tree.getEntries(),
        leafId: tree.getLeafId(),
        branch: idsOf(tree.getBranch()),
        contextEntries: idsOf(entries),
        context: { messages, model, thinkingLevel },
        llm: session.convertToLlm(messages),
        tree: rows(tree.getTree()),
        labels: tree.getLabels(),
        name: tree.getSessionName() ?? null,
      };
    },
    reports: () => reports,
    export: () => tree.export(),
    async observeStore() {
      const store = new MemoryStore({ now });
      await store.commit(session.treeWrites(tree));
      const values = tree.beside.values.map(([namespace, key, value]) => [namespace, key, value]);
      return { ...(await observed(store)), values };
    },
  };
}

function rows(roots) {
  const out = [];
  const work = roots.map((node) => [node, 0]).reverse();
  while (work.length > 0) {
    const [{ entry, label, children }, depth] = work.pop();
    out.push({ id: entry.id, depth, ...(label === undefined ? {} : { label }) });
    for (const child of [...children].reverse()) work.push([child, depth + 1]);
  }
  return out;
}

/** A store of the player. */
async function observed(store) {
  const entries = await store.scanEntries({ order: "asc" });
  const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" };
  const tree = SessionTree.from(header, entries);
  const tips = Object.fromEntries(await store.scanValues("pi.branch.tip"));
  const context = {};
  for (const [branch, tip] of Object.entries(tips)) {
    const { messages } = tree.buildSessionContext(tip);
    context[branch] = session.withoutFailed(messages);
  }
  const labels = Object.fromEntries(await store.scanValues("pi.entry.label"));
  const name = (await store.value("pi.session.name", "")) ?? null;
  return { entries, tips, labels, name, context, stats: await store.stats() };
}

function storeOf(first, ids, now) {
  const stores = new Map([[first, new MemoryStore({ now })]]);
  const parents = new Map([[first, null]]);
  const append = async (store, branch = "main", entry) => {
    const id = ids();
    await session.appendTo(store, branch, id, entry);
    return id;
  };
  const idsOf = (entries) => entries.map(({ id }) => id);
  const ops = {
    createBranch: (store, a) => session.createBranch(store, a.name, a.at),
    attachLane: (store, a) => ops.setValue(store, { namespace: "pi.lane.config", key: a.name, value: {} }),
    appendMessage: (store, a) => append(store, a.branch, { type: "message", message: a.message }),
    appendCustomEntry: (store, a) =>
      append(store, a.branch, { type: "custom", customType: a.customType, data: a.data }),
    async commit(store, a) {
      const { firstSeq, seqs } = await store.commit(a.writes);
      return { firstSeq, count: seqs.length };
    },
    moveTip: (store, a) => session.moveTip(store, a.branch ?? "main", a.to),
    setName: (store, a) => session.setName(store, a.name),
    setLabel: (store, a) => session.setLabel(store, a.target, a.label),
    setValue: async (store, a) => void (await store.commit([session.setValue(a.namespace, a.key, a.value)])),
    async appendList(store, { namespace, key, value }) {
      await store.commit([{ kind: "list", op: "append", namespace, key, value }]);
    },
    readList: (store, a) => store.readList(a.namespace, a.key, a.options),
    scanValues: (store, a) => store.scanValues(a.namespace, a.key),
    scanBranch: async (store, a) => idsOf(await store.scanBranch(a.query)),
    findEntries: async (store, a) => idsOf(await store.scanEntries(a.query)),
    async fork(store, a) {
      const { id, ...scope } = a.options;
      if (stores.has(id)) throw new Error(`session ${id} exists`);
      const copy = new MemoryStore({ now });
      await copy.commit(await session.forkWrites(store, scope));
      stores.set(id, copy);
      const parentSessionId = a.session ?? first;
      parents.set(id, parentSessionId);
      return { parentSessionId };
    },
    list: () => [...stores.keys()].map((id) => ({ id, parentSessionId: parents.get(id) })),
  };
  return {
    apply: (op) => ops[op.op](stores.get(op.session ?? first), op),
    async observe() {
      const out = {};
      for (const [id, store] of stores) out[id] = await observed(store);
      return out;
    },
  };
}

/** A session of the entries of a compaction case. */
const treeOf = (entries) =>
  SessionTree.from({ type: "session", version: 3, id: "s", timestamp: "", cwd: "/" }, entries);

const compaction = {
  estimateTokens: session.estimateTokens,
  contextTokensFromUsage: session.calculateContextTokens,
  estimateContext: session.estimateContextTokens,
  serialize: session.serializeConversation,
  shouldCompact: (a) => session.shouldCompact(a.contextTokens, a.contextWindow, a.settings),
  findCutPoint: (a) => session.findCutPoint(treeOf(a.entries), a.start, a.end, a.keepRecentTokens),
  prepare: (a) => session.prepareCompaction(treeOf(a.entries), a.settings),
  overflow: (a) => session.overflowOf(a.message, a.contextWindow, a.maxTokens),
  fileOps: (messages) => session.fileOperations(messages),
  compact: ({ entries, ...options }) => session.compact(treeOf(entries), options),
  branchPrepare: (a) => session.prepareBranchEntries(treeOf(a.entries), a.entries, a.tokenBudget),
  branchCollect: (a) => session.collectEntriesForBranchSummary(treeOf(a.entries), a.from, a.to),
};

export async function createSessionHarness({ ids, now }) {
  return {
    create: ({ id, cwd, entries }) => {
      if (!entries) return sessionOf(SessionTree.create({ id, cwd, ids, now }), ids, now);
      const [header, ...rest] = entries;
      return sessionOf(SessionTree.from(header, rest, { ids, now }), ids, now);
    },
    open: (text) => sessionOf(SessionTree.import(text, { ids, now }), ids, now),
    createStore: ({ id }) => storeOf(id, ids, now),
    compaction,
  };
}
