// What every store has to do.
import assert from "node:assert/strict";
import { test } from "node:test";
import "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";

const { appendTo, createBranch, forkWrites, SessionTree, setValue, treeWrites } = session;
const user = (content) => ({ type: "message", message: { role: "user", content, timestamp: 1 } });

/** The suite, for any store. */
export function contract(name, make) {
  const refuses = (promise, code) => assert.rejects(promise, { name: "SessionError", code });

  test(`${name}: a commit happens whole or not at all`, async () => {
    const store = await make();
    await createBranch(store, "main", null);
    await appendTo(store, "main", "a", user("1"));
    const good = { kind: "entry", entry: { id: "b", parentId: "a", ...user("2") } };
    const orphan = { kind: "entry", entry: { id: "c", parentId: "nobody", ...user("3") } };
    await refuses(store.commit([good, setValue("app", "k", 1), orphan]), "missing_parent");
    await refuses(store.commit([good, good]), "duplicate_id");
    await refuses(store.commit([setValue("", "k", 1)]), "malformed");
    assert.equal(await store.value("app", "k"), undefined);
    const { firstSeq, seqs } = await store.commit([good, setValue("app", "k", 1)]);
    assert.deepEqual([firstSeq, seqs], [4, [4, 5]]);
    assert.deepEqual(
      (await store.scanBranch({ start: "b" })).map(({ id }) => id),
      ["b", "a"],
    );
  });

  test(`${name}: keys are in the order of code points`, async () => {
    const store = await make();
    const keys = ["b", "\u{1f600}", "\uff5e", "a/2", "a/1", "a"];
    await store.commit(keys.map((key, at) => setValue("app", key, at)));
    const found = await store.scanValues("app");
    assert.deepEqual(
      found.map(([key]) => key),
      ["a", "a/1", "a/2", "b", "\uff5e", "\u{1f600}"],
    );
    assert.deepEqual((await store.scanValues("app", "a/")).length, 2);
    assert.deepEqual(await store.namespaces(), ["app"]);
  });

  test(`${name}: what is given out and taken in is a copy`, async () => {
    const store = await make();
    const value = { list: [1] };
    await store.commit([setValue("app", "k", value)]);
    value.list.push(2);
    const read = await store.value("app", "k");
    read.list.push(3);
    assert.deepEqual(await store.value("app", "k"), { list: [1] });
  });

  test(`${name}: a closed store takes nothing more`, async () => {
    const store = await make();
    await store.close();
    await store.close();
    await refuses(store.commit([setValue("app", "k", 1)]), "closed");
  });

  test(`${name}: a session goes in and comes out`, async () => {
    const tree = SessionTree.create();
    tree.appendMessage(user("1").message);
    tree.appendLabelChange(tree.getLeafId(), "one");
    const store = await make();
    await store.commit(treeWrites(tree));
    const entries = (await store.scanEntries({ order: "asc" })).map(({ seq, ...entry }) => entry);
    assert.deepEqual(entries, tree.getEntries());
    assert.equal(SessionTree.from(tree.getHeader(), entries).export(), tree.export());
    assert.equal(await store.value("pi.branch.tip", "main"), tree.getLeafId());
  });

  test(`${name}: a fork takes values of the application, and refuses what it does not know`, async () => {
    const store = await make();
    await createBranch(store, "main", null);
    await store.commit([setValue("app", "k", 1), setValue("pi.op.state", "r", {})]);
    const copy = await make();
    await copy.commit(await forkWrites(store, { scope: "tree" }));
    assert.deepEqual(await copy.scanValues("app"), [["k", 1]]);
    assert.deepEqual((await copy.namespaces()).sort(), ["app", "pi.branch.tip"]);
    await refuses(forkWrites(store, { scope: "branch", branch: "main" }), "not_a_lane");
    await store.commit([setValue("pi.tomorrow", "k", 1)]);
    await refuses(forkWrites(store, { scope: "tree" }), "unsupported");
  });
}
