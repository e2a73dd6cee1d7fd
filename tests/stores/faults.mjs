// What goes wrong in a database: nothing is half done, and the error says what it was.
import { equal, ok, refuses } from "./assert.mjs";
import { patched, raw, told } from "./hands.mjs";

const entry = (id, parentId, text = id) => ({
  kind: "entry",
  entry: {
    id,
    parentId,
    type: "message",
    message: { role: "user", content: [{ type: "text", text }], timestamp: 1 },
  },
});
const usage = {
  ...{ input: 1, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Everything that a commit can do. */
const everything = (id, parentId) => [
  {
    kind: "header",
    header: { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
  },
  entry(id, parentId),
  entry(`${id}-long`, id, "long ".repeat(20_000)),
  { kind: "usage", row: { id: `${id}-u`, usage } },
  { kind: "value", op: "set", namespace: "pi.branch.tip", key: "main", value: `${id}-long` },
  { kind: "value", op: "delete", namespace: "app", key: "old" },
  { kind: "list", op: "append", namespace: "app", key: "l", value: id },
  { kind: "list", op: "delete", namespace: "app", key: "old" },
];

const requests = [
  [IDBObjectStore.prototype, ["add", "put", "delete", "get", "getKey", "getAll"]],
  [IDBDatabase.prototype, ["transaction"]],
];

/** The n-th request from now on meets with `fail`; gives whether there were so many. */
async function failing(n, fail, act) {
  let count = 0;
  const make = (original) =>
    function (...given) {
      return ++count === n ? fail(this, () => original.apply(this, given)) : original.apply(this, given);
    };
  let run = act;
  for (const [target, names] of requests)
    for (const name of names) {
      const inner = run;
      run = () => patched(target, name, make, inner);
    }
  await run();
  return count >= n;
}

export function faultCases(session, database) {
  const { IndexedDbStore, openStore, SessionCatalog, SessionTree } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  const make = (options = {}) => new IndexedDbStore({ database, ...options });
  const fresh = async () => {
    const store = make();
    await store.commit([
      entry("a", null),
      { kind: "value", op: "set", namespace: "app", key: "old", value: 1 },
      { kind: "list", op: "append", namespace: "app", key: "old", value: 1 },
    ]);
    return store;
  };
  const quota = () => {
    throw new DOMException("full", "QuotaExceededError");
  };

  on("whichever request meets with a full disk, the commit fails whole with `quota`", async () => {
    const store = await fresh();
    let n = 1;
    for (; ; n++) {
      const before = await raw.dump(database);
      let error;
      const met = await failing(n, quota, async () => {
        error = await store.commit(everything("b", "a")).then(
          () => undefined,
          (thrown) => thrown,
        );
      });
      if (!met) {
        ok(error === undefined, String(error));
        break;
      }
      equal([error?.name, error?.code], ["SessionError", "quota"], `request ${n}`);
      equal(await raw.dump(database), before, `after request ${n}`);
    }
    ok(n > 10, `${n} requests`);
    equal(
      (await store.scanEntries({ order: "asc" })).map(({ id }) => id),
      ["a", "b", "b-long"],
    );
    await store.close();
  });

  on("whichever request the transaction is aborted at, it is done again, and once", async () => {
    const store = await fresh();
    let parent = "a";
    for (let n = 1; ; n++) {
      const id = `n${n}`;
      const abort = (target, act) => {
        const request = act();
        (target.transaction instanceof IDBTransaction ? target.transaction : request).abort();
        return request;
      };
      if (!(await failing(n, abort, () => store.commit(everything(id, parent))))) break;
      parent = `${id}-long`;
      equal(await store.value("pi.branch.tip", "main"), parent);
    }
    const entries = await store.scanEntries({ order: "asc" });
    equal(new Set(entries.map(({ id }) => id)).size, entries.length);
    equal((await store.stats()).messageCount, entries.length);
    await store.close();
  });

  on(
    "whichever request the connection is lost at, the commit is done over another one, and once",
    async () => {
      const store = await fresh();
      // As in Safari, where the process of the database may end while the page is in the background.
      const lost = () => {
        throw new DOMException("Connection to Indexed Database server lost.", "UnknownError");
      };
      let parent = "a";
      for (let n = 1; ; n++) {
        const id = `n${n}`;
        if (!(await failing(n, lost, () => store.commit(everything(id, parent))))) break;
        parent = `${id}-long`;
        equal(await store.value("pi.branch.tip", "main"), parent);
      }
      const entries = await store.scanEntries({ order: "asc" });
      equal(new Set(entries.map(({ id }) => id)).size, entries.length);
      await store.close();
    },
  );

  on("whichever request of an import meets with a full disk, nothing of it stays, or all", async () => {
    const tree = SessionTree.create();
    for (let at = 0; at < 3; at++)
      tree.appendMessage({ role: "user", content: [{ type: "text", text: `m${at}` }], timestamp: 1 });
    const file = tree.export();
    const catalog = new SessionCatalog({ database });
    const before = await raw.dump(database);
    for (let n = 1; ; n++) {
      let error;
      const met = await failing(n, quota, async () => {
        error = await catalog.import(file).then(
          () => undefined,
          (thrown) => thrown,
        );
      });
      if (error) {
        equal([error.name, error.code], ["SessionError", "quota"], `request ${n}`);
        equal(await raw.dump(database), before, `after request ${n}`);
      } else {
        equal(await catalog.export(tree.getSessionId()), file, `request ${n}`);
        await catalog.remove(tree.getSessionId());
      }
      if (!met) break;
    }
    catalog.close();
  });

  on("a commit that landed without a word is not done twice", async () => {
    const store = await fresh();
    // The transaction completes, and all that is heard is that it was cut off.
    let victim;
    const deaf = (original) =>
      function (type, act, ...rest) {
        if (this.mode === "readwrite") victim ??= this;
        if (this !== victim || type === "error") return original.call(this, type, act, ...rest);
        if (type === "abort") original.call(this, "complete", act, ...rest);
      };
    await patched(IDBTransaction.prototype, "addEventListener", deaf, async () => {
      const { firstSeq, seqs } = await store.commit([entry("b", "a"), entry("c", "b")]);
      equal([firstSeq, seqs], [4, [4, 5]]);
    });
    ok(victim, "was cut");
    equal((await store.stats()).messageCount, 3);
    equal((await store.commit([entry("d", "c")])).firstSeq, 6);
    await store.close();
  });

  on("a commit that failed and had landed does not hide the next one", async () => {
    const store = await fresh();
    let victim;
    const deaf = (original) =>
      function (type, act, ...rest) {
        if (this.mode === "readwrite") victim ??= this;
        if (this !== victim || type === "error") return original.call(this, type, act, ...rest);
        if (type === "abort") original.call(this, "complete", act, ...rest);
      };
    const refused = (original) =>
      function (...given) {
        if (victim) throw new DOMException("no", "UnknownError");
        return original.apply(this, given);
      };
    await patched(IDBTransaction.prototype, "addEventListener", deaf, () =>
      patched(IDBDatabase.prototype, "transaction", refused, () =>
        refuses(store.commit([entry("b", "a")]), "failed"),
      ),
    );
    // It is there, and a second try says so.
    await refuses(store.commit([entry("b", "a")]), "duplicate_id");
    await store.commit([entry("c", "b")]);
    equal(
      (await store.scanEntries({ order: "asc" })).map(({ id }) => id),
      ["a", "b", "c"],
    );
    await store.close();
  });

  on("a connection that the browser closed is opened again", async () => {
    const store = await fresh();
    let cut = true;
    const closing = (original) =>
      function (...given) {
        if (cut) {
          cut = false;
          this.close();
        }
        return original.apply(this, given);
      };
    await patched(IDBDatabase.prototype, "transaction", closing, () => store.commit([entry("b", "a")]));
    ok(!cut, "was closed");
    cut = true;
    const read = await patched(IDBDatabase.prototype, "transaction", closing, () => store.scanEntries());
    equal(read.length, 2);
    await store.close();
  });

  on("a session whose rows were taken away is gone", async () => {
    const store = await fresh();
    const db = await raw.open(database);
    await raw.promised(db.transaction("sessions", "readwrite").objectStore("sessions").delete(store.id));
    const gone = told(store, "gone");
    await refuses(store.commit([entry("b", "a")]), "gone");
    await gone;
    await refuses(store.commit([entry("b", "a")]), "gone");
    await store.close();
    const other = await fresh();
    await other.close();
    const range = IDBKeyRange.bound([other.id], [other.id, []]);
    await raw.promised(db.transaction("entries", "readwrite").objectStore("entries").delete(range));
    db.close();
    const again = make({ id: other.id });
    await refuses(again.open(), "gone");
    await again.close();
    // What is left of it can be removed.
    const catalog = new session.SessionCatalog({ database });
    await catalog.remove(other.id);
    catalog.close();
    ok(!(await raw.dump(database)).includes(other.id), "removed");
  });

  on("a database that another page deletes is let go, and the session is gone", async () => {
    const own = `${database}-deleted`;
    const store = make({ database: own });
    await store.commit([entry("a", null)]);
    const error = told(store, "error");
    await raw.remove(own);
    equal((await error).error.code, "version");
    await refuses(store.commit([entry("b", "a")]), "gone");
    await store.close();
  });

  on("a page with a later version is not held up, and this one says why it stops", async () => {
    const own = `${database}-later`;
    const store = make({ database: own });
    const admitted = store.commit([entry("a", null)]);
    await store.open();
    const error = told(store, "error");
    const begun = performance.now();
    const db = await raw.open(own, 2, () => {});
    ok(performance.now() - begun < 2000, "held up");
    await admitted;
    equal((await error).error.code, "version");
    await refuses(store.commit([entry("b", "a")]), "version");
    await refuses(make({ database: own }).open(), "version");
    db.close();
    await store.close();
  });

  on("an old page that does not let go is an error, and no wait for ever", async () => {
    const own = `${database}-old`;
    const old = await raw.open(own, 1, () => {});
    const store = make({ database: own, version: 2 });
    await refuses(store.open(), "blocked");
    old.close();
    await raw.remove(own);
    await store.close();
  });

  on("where nothing can be opened, there is a store in memory that says so", async () => {
    const refused = () => () => {
      throw new DOMException("no", "SecurityError");
    };
    await patched(IDBFactory.prototype, "open", refused, async () => {
      let error;
      const store = await openStore({
        database: `${database}-none`,
        onFallback: (thrown) => (error = thrown),
      });
      equal([store.persisted, error.code], [false, "unavailable"]);
      await store.commit([entry("a", null)]);
      equal((await store.scanEntries()).length, 1);
      await refuses(openStore({ database: `${database}-none`, fallback: "none" }), "unavailable");
    });
    const kept = await openStore({ database });
    equal(kept.persisted, true);
    await kept.close();
  });

  on("a store that failed to open can be opened later", async () => {
    const store = make({ database: `${database}-twice` });
    const refused = () => () => {
      throw new DOMException("no", "UnknownError");
    };
    await patched(IDBFactory.prototype, "open", refused, () =>
      refuses(store.commit([entry("a", null)]), "unavailable"),
    );
    equal((await store.commit([entry("a", null)])).firstSeq, 1);
    await store.close();
  });
  return cases;
}
