// Sessions in OPFS, in pages and in dedicated workers; where the engine has none, no cases.
import { contract, play } from "./contract.mjs";
import { equal, ok, refuses } from "./assert.mjs";

export const hasOpfs = () => Boolean(globalThis.navigator?.storage?.getDirectory);
const inWorker = typeof WorkerGlobalScope !== "undefined";
const entry = (id, parentId = null) => ({
  kind: "entry",
  entry: { id, parentId, type: "message", message: { role: "user", content: id, timestamp: 1 } },
});

/** The suite of all stores, and what this one does beyond it. */
export async function opfsParts(session, stores, folder) {
  const { listOpfs, OpfsStore, opfsLog, removeOpfs } = stores;
  const make = (id) => new OpfsStore({ folder, ...(id ? { id } : {}) });
  const where = inWorker ? "worker" : "page";
  const own = [
    {
      name: "a list shows name, number of messages and time, and a session is removed",
      async run() {
        const [one, other] = [make("list-1"), make("list-2")];
        await one.commit([entry("a"), session.setValue("pi.session.name", "", "One")]);
        await one.commit([entry("b", "a")]);
        await one.close();
        await other.commit([entry("a")]);
        await other.close();
        const found = (await listOpfs({ folder })).filter(({ id }) => id.startsWith("list-"));
        equal(
          found.map(({ id, name, messageCount }) => [id, name, messageCount]),
          [
            ["list-2", undefined, 1],
            ["list-1", "One", 2],
          ],
        );
        ok(Date.now() - found[0].modified.getTime() < 60_000);
        await removeOpfs("list-1", { folder });
        equal((await listOpfs({ folder })).filter(({ id }) => id.startsWith("list-")).length, 1);
        equal(await make("list-1").header(), undefined);
      },
    },
    {
      name: "a line that was not written to its end is cut",
      async run() {
        const store = make("torn");
        await store.commit([entry("a")]);
        await store.close();
        const log = opfsLog("torn", folder);
        await log.open();
        await log.read();
        await log.append('{"kind":"entry","id":"b","text":"\u00e9', 2);
        await log.close();
        const again = make("torn");
        equal((await again.commit([entry("c", "a")])).firstSeq, 2);
        await again.close();
        const last = make("torn");
        equal(
          (await last.scanEntries()).map(({ id }) => id),
          ["c", "a"],
        );
        await last.close();
      },
    },
    {
      name: inWorker
        ? "a session that is open cannot be opened again"
        : "a session that another page wrote to is not written",
      async run() {
        const [one, other] = [make("twice"), make("twice")];
        await one.commit([entry("a")]);
        if (inWorker) await refuses(other.open(), "blocked");
        else {
          await other.commit([entry("b", "a")]);
          await refuses(one.commit([entry("c", "a")]), "fenced");
        }
        await one.close();
        await other.takeOver();
        await other.commit([entry("d", "a")]);
        await other.close();
      },
    },
  ];
  if (!inWorker)
    own.push(
      {
        name: "of pages that write at once each is told what became of it, and what was stored is there",
        async run() {
          const first = make("at-once");
          await first.commit([entry("root")]);
          await first.close();
          const pages = ["a", "b", "c"].map((id) => ({ id, store: make("at-once") }));
          for (const { store } of pages) await store.open();
          const done = await Promise.allSettled(
            pages.map(({ id, store }) => store.commit([entry(id, "root")])),
          );
          const told = pages.filter((_, at) => done[at].status === "fulfilled").map(({ id }) => id);
          for (const { reason } of done.filter(({ status }) => status === "rejected"))
            equal(reason.code, "fenced", String(reason));
          const reader = make("at-once");
          const there = (await reader.scanEntries({ order: "asc" })).map(({ id }) => id);
          equal(there, ["root", ...told]);
          ok(told.length > 0, "nobody could write");
          for (const { store } of [...pages, { store: reader }]) await store.close();
        },
      },
      {
        name: "a session that another page has removed is gone, and does not come back",
        async run() {
          const store = make("removed");
          await store.commit([entry("a")]);
          await removeOpfs("removed", { folder });
          await refuses(store.commit([entry("b", "a")]), "gone");
          await store.close();
          const again = make("removed");
          equal(await again.scanEntries(), []);
          await again.close();
        },
      },
    );
  return [
    { name: `contract, OPFS in a ${where}`, ...(await play(contract(session, make, make))) },
    { name: `OPFS in a ${where}`, ...(await play(own)) },
  ];
}
