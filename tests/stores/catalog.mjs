// The list of sessions of IndexedDB.
import { equal, ok, refuses } from "./assert.mjs";
import { patched, raw } from "./hands.mjs";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const answer = (text) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "faux",
  provider: "faux",
  model: "m",
  stopReason: "stop",
  timestamp: 2,
});

/** The cases, for a database that has nothing in it. */
export function catalogCases(session, database) {
  const { SessionCatalog, SessionTree, treeWrites, appendTo } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  const made = (text) => {
    const tree = SessionTree.create();
    tree.appendMessage(user(text));
    tree.appendMessage(answer(`about ${text}`));
    return tree;
  };
  const heard = (catalog) =>
    new Promise((resolve) => {
      const stop = catalog.subscribe(() => {
        stop();
        resolve();
      });
    });

  on("wrong arguments are refused by name, and nothing has changed", async () => {
    const catalog = new SessionCatalog({ database });
    const { id } = await catalog.import(made("kept").export());
    const before = JSON.stringify(await catalog.list());
    const calls = {
      id: [(value) => catalog.remove(value), (value) => catalog.open(value ?? null)],
      name: [(value) => catalog.rename(id, value)],
      "the iterator of source": [(value) => catalog.import(value)],
      listener: [(value) => catalog.subscribe(value)],
    };
    for (const [name, some] of Object.entries(calls))
      for (const call of some)
        for (const value of [undefined, null, 7, {}]) {
          const error = await (async () => call(value))().then(
            () => undefined,
            (thrown) => thrown,
          );
          const fits = error?.code === "invalid_request" && error.message.startsWith(name);
          ok(fits, `${name} ${value}: ${error?.stack ?? "not refused"}`);
        }
    equal(JSON.stringify(await catalog.list()), before);
    await catalog.remove(id);
    catalog.close();
  });

  on("lists what was written, the latest first, with name, counts and how it begins", async () => {
    const catalog = new SessionCatalog({ database });
    equal(await catalog.list(), []);
    const stores = ["one", "two"].map(() => catalog.open());
    for (const [at, store] of stores.entries()) {
      const change = heard(catalog);
      const tree = SessionTree.create({ id: store.id });
      tree.appendMessage(user(`question ${at}`));
      tree.appendSessionInfo(`name ${at}`);
      await store.commit(treeWrites(tree));
      await change;
    }
    const empty = catalog.open();
    await empty.open();
    const list = await catalog.list();
    equal(
      list.map(({ id, name, messageCount, preview }) => [id, name, messageCount, preview]),
      [
        [stores[1].id, "name 1", 1, "question 1"],
        [stores[0].id, "name 0", 1, "question 0"],
      ],
    );
    ok(list[0].modified >= list[1].modified && list[0].created instanceof Date, "times");
    for (const store of [...stores, empty]) await store.close();
    catalog.close();
  });

  on("a file goes in and comes out the same, and twice as a copy", async () => {
    const catalog = new SessionCatalog({ database });
    const file = made("files").export();
    const { id } = await catalog.import(file);
    equal(await catalog.export(id), file);
    const { id: copy, reports } = await catalog.import(`${file}{"type":"mess`);
    ok(copy !== id, "another id");
    equal(
      reports.map(({ code, line }) => [code, line]),
      [["truncated_tail", 4]],
    );
    const info = (await catalog.list()).find((each) => each.id === copy);
    equal([info.messageCount, info.preview, info.parentSession], [2, "files\nabout files", id]);
    await refuses(catalog.export("nobody"), "unknown_session");
    await refuses(catalog.import("not a file"), "not_a_session");
    catalog.close();
  });

  on("whenever another page takes the same file in, each has it, and keeps what it adds", async () => {
    const tree = SessionTree.create();
    for (let at = 0; at < 250; at++) tree.appendMessage(user(`m${at}`));
    const file = tree.export();
    const pages = [new SessionCatalog({ database }), new SessionCatalog({ database })];
    const takeIn = async (catalog, note) => {
      const { id } = await catalog.import(file);
      const store = catalog.open(id);
      // Whoever else has it open lets go in a moment.
      await store.takeOver();
      await appendTo(store, "main", note, { type: "message", message: user(note) });
      await store.close();
      return id;
    };
    for (let n = 1, met = true; met; n++) {
      let count = 0;
      let second;
      const begin = (original) =>
        function (...given) {
          if (++count === n) second = takeIn(pages[1], "second");
          return original.apply(this, given);
        };
      const first = await patched(IDBDatabase.prototype, "transaction", begin, () =>
        takeIn(pages[0], "first"),
      );
      met = second !== undefined;
      const ids = [first, await (second ?? takeIn(pages[1], "second"))];
      ok(ids[0] !== ids[1], `one id at transaction ${n}`);
      for (const [at, note] of ["first", "second"].entries()) {
        const copy = SessionTree.import(await pages[at].export(ids[at]));
        equal(copy.getEntries().length, 251, `entries of the ${note} at transaction ${n}`);
        equal(copy.getEntries().at(-1).message.content, note);
        await pages[at].remove(ids[at]);
      }
    }
    for (const page of pages) page.close();
  });

  on("a file whose id a page has open, and has not written to, becomes a copy", async () => {
    const catalog = new SessionCatalog({ database });
    const tree = made("open");
    const store = catalog.open(tree.getSessionId());
    const gone = [];
    store.subscribe(({ type }) => gone.push(type));
    await store.open();
    const { id } = await catalog.import(tree.export());
    ok(id !== store.id, "another id");
    await store.commit(treeWrites(made("mine")));
    equal([gone, (await store.stats()).messageCount], [[], 2]);
    await store.close();
    catalog.close();
  });

  on("a file whose import was broken off is taken in under its id", async () => {
    const catalog = new SessionCatalog({ database });
    const tree = made("broken off");
    const file = tree.export();
    const store = catalog.open(tree.getSessionId());
    const [, ...writes] = treeWrites(tree);
    await store.commit(writes.slice(0, 1));
    await store.close();
    equal((await catalog.import(file)).id, store.id);
    equal(await catalog.export(store.id), file);
    equal((await catalog.list()).find(({ id }) => id === store.id).messageCount, 2);
    catalog.close();
  });

  on("a file takes the place of no session whose entries the browser took away: it is a copy", async () => {
    const catalog = new SessionCatalog({ database });
    const file = made("taken away").export();
    const { id } = await catalog.import(file);
    const db = await raw.open(database);
    const entries = db.transaction("entries", "readwrite").objectStore("entries");
    await raw.promised(entries.delete(IDBKeyRange.bound([id], [id, []])));
    db.close();
    const { id: copy } = await catalog.import(file);
    ok(copy !== id, "another id");
    equal(SessionTree.import(await catalog.export(copy)).getEntries().length, 2);
    for (const each of [id, copy]) await catalog.remove(each);
    catalog.close();
  });

  on("a preview is at most 2 KB, and grows no more", async () => {
    const catalog = new SessionCatalog({ database });
    const tree = SessionTree.create();
    for (let at = 0; at < 30; at++) tree.appendMessage(user(`${at} ${"\u{1f600}".repeat(100)}`));
    tree.appendMessage(user("x".repeat(200_000)));
    const { id } = await catalog.import(tree.export());
    const { preview } = (await catalog.list()).find((each) => each.id === id);
    const bytes = new TextEncoder().encode(preview).length;
    ok(bytes > 2000 && bytes <= 2048, `${bytes} bytes`);
    catalog.close();
  });

  on("a rename is an entry, whoever has the session open", async () => {
    const catalog = new SessionCatalog({ database });
    const { id } = await catalog.import(made("rename").export());
    const store = catalog.open(id);
    await store.open();
    const changed = new Promise((resolve) =>
      store.subscribe((event) => event.type === "changed" && resolve(event)),
    );
    await catalog.rename(id, " new\nname ");
    const { firstSeq, lastSeq } = await changed;
    equal(lastSeq - firstSeq, 1);
    equal((await catalog.list()).find((each) => each.id === id).name, "new name");
    await appendTo(store, "main", "next", { type: "message", message: user("more") });
    const tree = SessionTree.import(await catalog.export(id));
    equal([tree.getSessionName(), tree.getEntries().length], ["new name", 4]);
    await store.close();
    await refuses(catalog.rename("nobody", "x"), "unknown_session");
    catalog.close();
  });

  on("a removed session is gone for who has it open, and from every list", async () => {
    const catalog = new SessionCatalog({ database });
    const { id } = await catalog.import(made("remove").export());
    const stores = [catalog.open(id), catalog.open(id)];
    for (const store of stores) await store.open();
    equal(
      stores.map(({ role }) => role),
      ["writer", "mirror"],
    );
    const told = stores.map(
      (store) => new Promise((resolve) => store.subscribe((event) => event.type === "gone" && resolve())),
    );
    const other = new SessionCatalog({ database });
    const change = heard(other);
    await catalog.remove(id);
    await Promise.all([...told, change]);
    ok(!(await catalog.list()).some((each) => each.id === id), "not in the list");
    for (const store of stores) {
      await refuses(store.commit([session.setValue("app", "k", 1)]), "gone");
      await store.close();
    }
    ok(!(await catalog.list()).some((each) => each.id === id), "still not in the list");
    const again = catalog.open(id);
    equal(await again.scanEntries(), []);
    await again.close();
    catalog.close();
    other.close();
  });

  on("tells how much room there is", async () => {
    const catalog = new SessionCatalog({ database });
    const { usage, quota } = await catalog.estimate();
    ok(usage >= 0 && quota >= 0, "numbers");
    catalog.close();
  });
  return cases;
}
