// What every store has to do, in Node and in pages. `contract(session, make)` gives the cases as `{name, run}`: `session` is
// the module steersman/session with its engine loaded, `make(id?)` gives a store, new without an id. A case that needs to
// open a session again says so by `again`: it is left out where nothing outlives the store.
import { equal, ok, refuses } from "./assert.mjs";

const user = (content) => ({ type: "message", message: { role: "user", content, timestamp: 1 } });
const entry = (id, parentId, rest = user(id)) => ({ kind: "entry", entry: { id, parentId, ...rest } });
const append = (namespace, key, value) => ({ kind: "list", op: "append", namespace, key, value });
const ids = (entries) => entries.map(({ id }) => id);
const usage = (input, total) => ({
  ...{ input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input },
  cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
});
const header = (id) => ({ type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" });

/** The cases; `again(id)` opens a session that a store has closed. */
export function contract(session, make, again) {
  const { appendTo, createBranch, forkWrites, SessionTree, setValue, treeWrites } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  /** A chain of entries in one commit. */
  const chain = (count, from = 0) =>
    Array.from({ length: count }, (_, i) =>
      entry(`e${from + i}`, from + i === 0 ? null : `e${from + i - 1}`),
    );

  on("a commit happens whole or not at all", async () => {
    const store = await make();
    await createBranch(store, "main", null);
    await appendTo(store, "main", "a", user("1"));
    const good = entry("b", "a");
    const orphan = entry("c", "nobody");
    await refuses(store.commit([good, setValue("app", "k", 1), orphan]), "missing_parent");
    await refuses(store.commit([good, good]), "duplicate_id");
    await refuses(store.commit([good, entry("a", null)]), "duplicate_id");
    await refuses(store.commit([setValue("", "k", 1)]), "malformed");
    await refuses(store.commit([good, setValue("app", "k", () => {})]), "malformed");
    equal(await store.value("app", "k"), undefined);
    equal(await store.entries(["b"]), [undefined]);
    const { firstSeq, seqs } = await store.commit([good, setValue("app", "k", 1)]);
    equal([firstSeq, seqs], [4, [4, 5]]);
    equal(ids(await store.scanBranch({ start: "b" })), ["b", "a"]);
    await store.close();
  });

  on("wrong arguments are refused by name, and nothing has changed", async () => {
    const store = await make();
    await store.commit(chain(2));
    const refusesArgument = async (name, call) => {
      for (const value of [null, 7, true, () => {}]) {
        const error = await call(value).then(
          () => undefined,
          (thrown) => thrown,
        );
        ok(
          error?.code === "invalid_request" && error.message.startsWith(name),
          `${name} ${value}: ${error?.stack ?? "not refused"}`,
        );
      }
    };
    await refusesArgument("writes", (value) => store.commit(value));
    await refusesArgument("ids", (value) => store.entries(value));
    await refusesArgument("page", (value) => store.readList("a", "b", value));
    await refusesArgument("query", (value) => store.scanBranch(value));
    await refusesArgument("query", (value) => store.scanEntries(value));
    equal(ids(await store.scanEntries({ order: "asc" })), ["e0", "e1"]);
    await store.close();
  });

  on("entries and rows of usage share their ids", async () => {
    const store = await make();
    const row = (id) => ({ kind: "usage", row: { id, usage: usage(1, 0.5) } });
    await store.commit([entry("a", null), row("u")]);
    await refuses(store.commit([row("a")]), "duplicate_id");
    await refuses(store.commit([entry("u", null)]), "duplicate_id");
    await refuses(store.commit([entry("v", null), row("v")]), "duplicate_id");
    await refuses(store.commit([entry("b", "u")]), "missing_parent");
    await store.commit([row("w")]);
    equal(ids(await store.scanUsage()), ["u", "w"]);
    const { messageCount, usage: sum } = await store.stats();
    equal([messageCount, sum.input, sum.cost.total], [1, 2, 1]);
    await store.close();
  });

  on("an answer that is not finished is refused", async () => {
    const store = await make();
    const message = { role: "assistant", content: [], stopReason: "pending" };
    await refuses(store.commit([entry("a", null, { type: "message", message })]), "pending_message");
    await store.close();
  });

  on("commits that are not awaited are done in order", async () => {
    const store = await make();
    const done = chain(30).map((write) =>
      store.commit([write, setValue("pi.branch.tip", "main", write.entry.id)]),
    );
    const committed = await Promise.all(done);
    equal(
      committed.map(({ firstSeq }) => firstSeq),
      done.map((_, i) => 1 + 2 * i),
    );
    equal(await store.value("pi.branch.tip", "main"), "e29");
    await store.close();
  });

  on("entries get the time of the commit, and keep their members in order", async () => {
    const store = await make();
    const given = { zeta: 1, type: "custom", id: "a", parentId: null, alpha: { b: 1, a: [undefined, null] } };
    const { timestamp } = await store.commit([{ kind: "entry", entry: given }]);
    const [read] = await store.entries(["a"]);
    equal(read.timestamp, new Date(timestamp).toISOString());
    equal(Object.keys(read).slice(0, 5), ["zeta", "type", "id", "parentId", "alpha"]);
    equal(Object.keys(read.alpha), ["b", "a"]);
    equal(read.seq, 1);
    await store.close();
  });

  on("keys are in the order of code points", async () => {
    const store = await make();
    const keys = ["b", "\u{1f600}", "\uff5e", "a/2", "a/1", "a", "a\uffff", "a\uffff\uffff"];
    await store.commit(keys.map((key, at) => setValue("app", key, at)));
    const found = await store.scanValues("app");
    equal(
      found.map(([key]) => key),
      ["a", "a/1", "a/2", "a\uffff", "a\uffff\uffff", "b", "\uff5e", "\u{1f600}"],
    );
    equal((await store.scanValues("app", "a/")).length, 2);
    equal((await store.scanValues("app", "a\uffff")).length, 2);
    equal(await store.namespaces(), ["app"]);
    await store.close();
  });

  on("values are set, read and deleted; namespaces are told while they hold some", async () => {
    const store = await make();
    await store.commit([setValue("one", "", "x"), setValue("two", "k", 0), setValue("two", "l", null)]);
    equal((await store.namespaces()).sort(), ["one", "two"]);
    equal([await store.value("one", ""), await store.value("two", "l")], ["x", null]);
    const gone = { kind: "value", op: "delete", namespace: "one", key: "" };
    await store.commit([gone, setValue("two", "k", 1)]);
    equal([await store.value("one", ""), await store.value("two", "k")], [undefined, 1]);
    equal(await store.namespaces(), ["two"]);
    await store.close();
  });

  on("lists grow, are read in pages from both ends, and are deleted whole", async () => {
    const store = await make();
    await store.commit([append("app", "l", 1), append("app", "other", 9), append("app", "l", 2)]);
    await store.commit([append("app", "l", { three: 3 })]);
    equal(await store.readList("app", "l"), [1, 2, { three: 3 }]);
    equal(await store.readList("app", "l", { order: "desc", limit: 2 }), [{ three: 3 }, 2]);
    equal(await store.readList("app", "l", { limit: 1 }), [1]);
    for (const limit of [0, 1.5, 10_001, -1])
      await refuses(store.readList("app", "l", { limit }), "bad_limit");
    await store.commit([{ kind: "list", op: "delete", namespace: "app", key: "l" }, append("app", "l", 4)]);
    equal(await store.readList("app", "l"), [4]);
    equal(await store.readList("app", "other"), [9]);
    await store.close();
  });

  on("a branch is read from both ends: stop, filter, cursor, limit", async () => {
    const store = await make();
    const type = (i) =>
      i % 5 === 0 ? { type: "custom", customType: i % 10 === 0 ? "x" : "y" } : user(`${i}`);
    const path = Array.from({ length: 200 }, (_, i) => entry(`e${i}`, i === 0 ? null : `e${i - 1}`, type(i)));
    await store.commit(path);
    await store.commit([entry("side", "e100", user("side")), entry("far", "side", user("far"))]);
    const scan = async (query) => ids(await store.scanBranch({ start: "e199", ...query }));
    equal((await scan({})).length, 200);
    equal((await scan({ order: "oldestFirst" }))[0], "e0");
    equal((await scan({ start: "far" })).slice(0, 3), ["far", "side", "e100"]);
    equal((await scan({ start: "far" })).length, 103);
    equal(await scan({ limit: 2 }), ["e199", "e198"]);
    equal(await scan({ stopAtId: "e197" }), ["e199", "e198", "e197"]);
    equal(await scan({ stopAtType: "custom" }), ["e199", "e198", "e197", "e196", "e195"]);
    equal(await scan({ order: "oldestFirst", stopAtId: "e2" }), ["e0", "e1", "e2"]);
    equal((await scan({ type: "custom" })).length, 40);
    equal(await scan({ customType: "x", limit: 2, stopAtId: "e150" }), ["e190", "e180"]);
    equal(await scan({ customType: "x", stopAtId: "e185" }), ["e190"]);
    const [last] = await store.entries(["e190"]);
    equal(await scan({ customType: "x", limit: 1, cursor: { seq: last.seq } }), ["e180"]);
    await refuses(store.scanBranch({ start: "nobody" }), "unknown_entry");
    await store.close();
  });

  on("entries are read by number: order, filter, cursor, limit", async () => {
    const store = await make();
    for (let at = 0; at < 300; at += 100) await store.commit([...chain(100, at), setValue("app", "k", at)]);
    await store.commit([entry("side", "e5", { type: "custom", customType: "x" })]);
    equal((await store.scanEntries())[0].id, "side");
    equal(ids(await store.scanEntries({ limit: 2 })), ["side", "e299"]);
    equal(ids(await store.scanEntries({ order: "asc", limit: 2 })), ["e0", "e1"]);
    equal(ids(await store.scanEntries({ order: "asc" })).length, 301);
    equal(ids(await store.scanEntries({ customType: "x" })), ["side"]);
    equal(ids(await store.scanEntries({ type: "message", limit: 1 })), ["e299"]);
    const [at] = await store.entries(["e150"]);
    equal(ids(await store.scanEntries({ cursor: at, limit: 2 })), ["e149", "e148"]);
    equal(ids(await store.scanEntries({ order: "asc", cursor: at, limit: 2 })), ["e151", "e152"]);
    equal((await store.stats()).messageCount, 300);
    await store.close();
  });

  on("what is given out and taken in is a copy", async () => {
    const store = await make();
    const value = { list: [1] };
    const done = store.commit([setValue("app", "k", value)]);
    value.list.push(2);
    await done;
    const read = await store.value("app", "k");
    read.list.push(3);
    equal(await store.value("app", "k"), { list: [1] });
    await store.close();
  });

  on("long texts and images come back as they were", async () => {
    const store = await make();
    const long = `${"long text \u{1f600} ".repeat(12_000)}end`;
    const image = { type: "image", mimeType: "image/png", data: "QUJD".repeat(40_000) };
    const message = { role: "user", timestamp: 1, content: [{ type: "text", text: long }, image, image] };
    const lone = `${"x".repeat(70_000)}\ud800`;
    const details = { $blob: "not one of ours", lone, nested: [{ long }] };
    await store.commit([
      entry("a", null, { type: "message", message }),
      entry("b", "a", { type: "custom", customType: "c", data: details }),
    ]);
    const [first, second] = await store.entries(["a", "b"]);
    equal(first.message, message);
    equal(second.data, details);
    ok(second.data.lone === lone, "a text that is no good Unicode");
    equal((await store.scanBranch({ start: "b" }))[1].message, message);
    equal((await store.scanEntries({ order: "asc" }))[0].message, message);
    await store.close();
  });

  on("a closed store takes nothing more, and finishes what it took", async () => {
    const store = await make();
    const admitted = store.commit([setValue("app", "k", 1)]);
    const closing = store.close();
    await refuses(store.commit([setValue("app", "k", 2)]), "closed");
    await closing;
    equal((await admitted).firstSeq, 1);
    await store.close();
  });

  on("a session without a header is new; a header comes back", async () => {
    const store = await make();
    await store.open();
    await store.open();
    equal([await store.header(), store.role], [undefined, "writer"]);
    await store.commit([{ kind: "header", header: header(store.id) }]);
    equal(await store.header(), header(store.id));
    await store.close();
  });

  on("a session goes in and comes out", async () => {
    const tree = SessionTree.create();
    tree.appendMessage(user("1").message);
    tree.appendLabelChange(tree.getLeafId(), "one");
    const store = await make();
    await store.commit(treeWrites(tree));
    const entries = (await store.scanEntries({ order: "asc" })).map(({ seq, ...rest }) => rest);
    equal(entries, tree.getEntries());
    equal(SessionTree.from(tree.getHeader(), entries).export(), tree.export());
    equal(await store.value("pi.branch.tip", "main"), tree.getLeafId());
    await store.close();
  });

  on("a fork takes values of the application, and refuses what it does not know", async () => {
    const store = await make();
    await createBranch(store, "main", null);
    await store.commit([setValue("app", "k", 1), setValue("pi.op.state", "r", {})]);
    const copy = await make();
    await copy.commit(await forkWrites(store, { scope: "tree" }));
    equal(await copy.scanValues("app"), [["k", 1]]);
    equal((await copy.namespaces()).sort(), ["app", "pi.branch.tip"]);
    await refuses(forkWrites(store, { scope: "branch", branch: "main" }), "not_a_lane");
    await store.commit([setValue("pi.tomorrow", "k", 1)]);
    await refuses(forkWrites(store, { scope: "tree" }), "unsupported");
    await store.close();
    await copy.close();
  });

  if (again) {
    on("what was written is there when the session is opened again", async () => {
      const store = await make();
      const usages = { kind: "usage", row: { id: "u", usage: usage(3, 1), note: "n" } };
      const writes = [...chain(5), setValue("app", "k", [1]), append("app", "l", 2), usages];
      await store.commit([{ kind: "header", header: header(store.id) }, ...writes]);
      await store.close();
      const other = await again(store.id);
      equal((await other.header()).id, store.id);
      equal((await other.scanEntries()).length, 5);
      equal([await other.value("app", "k"), await other.readList("app", "l")], [[1], [2]]);
      equal((await other.scanUsage())[0].note, "n");
      equal((await other.stats()).messageCount, 5);
      const { firstSeq } = await other.commit(chain(1, 5));
      equal(firstSeq, 10);
      ok(other.persisted, "outlives the page");
      await other.close();
    });
  }
  return cases;
}

/** A case that has not ended by then hangs. */
const LONGEST_MS = 300_000;

/** Plays cases; gives those that failed, with why. */
export async function play(cases, tell = () => {}) {
  const failures = [];
  for (const { name, run } of cases) {
    try {
      let timer;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error("it hangs")), LONGEST_MS);
      });
      await Promise.race([run(), late]).finally(() => clearTimeout(timer));
      tell(`ok ${name}`);
    } catch (error) {
      failures.push({ name, detail: `${error}\n${error?.stack ?? ""}` });
      tell(`FAILED ${name}: ${error?.stack ?? error}`);
    }
  }
  return { passed: cases.length - failures.length, failures };
}
