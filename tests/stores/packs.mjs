// Entries are kept once more, in packs, so that a long session opens fast. Whatever is asked, the answer is the same.
import { equal, ok } from "./assert.mjs";
import { handClock, raw } from "./hands.mjs";

const entry = (id, parentId, rest = {}) => ({
  kind: "entry",
  entry: { id, parentId, type: "message", message: { role: "user", content: id, timestamp: 1 }, ...rest },
});

export function packCases(session, database) {
  const { IndexedDbStore, setValue } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });

  on("a long session reads the same with packs, with some of them and without", async () => {
    const clock = handClock();
    const store = new IndexedDbStore({ database, clock });
    const count = 2600;
    let parent = null;
    for (let at = 0; at < count; at += 100) {
      const writes = [];
      for (let i = at; i < at + 100; i++) {
        const odd = i === 1100 ? { odd: [undefined, -0, Number.NaN, new Date(5), new Uint8Array([1])] } : {};
        const long = i % 900 === 0 ? { details: { text: "y".repeat(70_000) } } : {};
        writes.push(
          entry(`e${i}`, parent, i % 50 === 49 ? { type: "custom", customType: "c" } : { ...long, ...odd }),
        );
        parent = `e${i}`;
        if (i % 10 === 0) writes.push(setValue("app", `k${i}`, i));
      }
      await store.commit(writes);
    }
    await store.commit([entry("side", "e700"), entry("far", "side")]);
    const brief = (entries) =>
      entries.map(({ id, seq, details, odd }) => [
        ...[id, seq, details?.text.length],
        odd?.map((each) => Object.prototype.toString.call(each) + String(each) + Object.is(each, -0)),
      ]);
    const ask = async (from) => {
      const [at] = await from.entries(["e1500"]);
      const start = `e${count - 1}`;
      const asked = [
        from.scanEntries({ order: "asc" }),
        from.scanEntries(),
        from.scanEntries({ limit: 200 }),
        from.scanEntries({ order: "asc", limit: 1200 }),
        from.scanEntries({ order: "asc", cursor: at }),
        from.scanEntries({ cursor: at, limit: 700 }),
        from.scanEntries({ customType: "c", limit: 30 }),
        from.scanBranch({ start }),
        from.scanBranch({ start, limit: 3 }),
        from.scanBranch({ start, order: "oldestFirst", limit: 1500 }),
        from.scanBranch({ start: "far", stopAtId: "e10" }),
        from.scanBranch({ start, type: "custom", cursor: at, limit: 5 }),
      ];
      return (await Promise.all(asked)).map(brief);
    };
    const plain = await ask(store);
    equal(
      plain.map(({ length }) => length),
      [2602, 2602, 200, 1200, 1101, 700, 30, 2600, 3, 1500, 693, 5],
    );
    await clock.tick(500);
    // Reads wait for the writing of a pack, and there are two.
    for (let at = 0; at < 5; at++) await store.header();
    await store.close();
    const packs = async (act) => {
      const db = await raw.open(database);
      const blobs = db.transaction("blobs", "readwrite").objectStore("blobs");
      const range = IDBKeyRange.bound([store.id, "pack:"], [store.id, "pack:~"]);
      const result = await raw.promised(act(blobs, range));
      db.close();
      return result;
    };
    equal((await packs((blobs, range) => blobs.getAllKeys(range))).length, 2);
    for (const left of [2, 1, 0]) {
      const again = new IndexedDbStore({ database, id: store.id, clock: handClock() });
      equal(await ask(again), plain, `${left} packs`);
      await again.close();
      const [first] = await packs((blobs, range) => blobs.getAllKeys(range));
      if (first) await packs((blobs) => blobs.delete(first));
    }
    ok((await packs((blobs, range) => blobs.getAllKeys(range))).length === 0, "none are left");
  });
  return cases;
}
