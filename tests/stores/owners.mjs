// Who writes: locks, leases, taking over, fences, mirrors.
import { equal, ok, refuses } from "./assert.mjs";
import { becomes, handClock, told } from "./hands.mjs";

const entry = (id, parentId) => ({
  kind: "entry",
  entry: { id, parentId, type: "message", message: { role: "user", content: id, timestamp: 1 } },
});
const ids = async (store) => (await store.scanEntries({ order: "asc" })).map(({ id }) => id);

/** The cases; `lost` is how many commits a mirror misses. */
export function ownerCases(session, database, { locks, lost = 300 } = {}) {
  const { IndexedDbStore } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  const open = async (id, options = {}) => {
    const store = new IndexedDbStore({ database, locks, ...(id ? { id } : {}), ...options });
    await store.open();
    return store;
  };

  on("the second follows, and writes when the first has gone", async () => {
    const first = await open();
    const second = await open(first.id);
    equal([first.role, second.role], ["writer", "mirror"]);
    await refuses(second.commit([entry("x", null)]), "fenced");
    const changed = told(second, "changed");
    await first.commit([entry("a", null), entry("b", "a")]);
    const { firstSeq, lastSeq } = await changed;
    equal([firstSeq, lastSeq], [1, 2]);
    equal(await ids(second), ["a", "b"]);
    const role = becomes(second, "writer");
    await first.close();
    await role;
    await second.commit([entry("c", "b")]);
    equal(await ids(second), ["a", "b", "c"]);
    await second.close();
  });

  on("the second writes also when the first has gone before anything was said", async () => {
    const first = await open();
    const second = await open(first.id);
    const gone = told(second, "gone");
    const role = becomes(second, "writer");
    await first.close();
    equal((await Promise.race([role, gone])).type, "role");
    await second.commit([entry("a", null)]);
    equal(await ids(second), ["a"]);
    await second.close();
  });

  on("a store that is opened while the last one here is being closed waits, and writes", async () => {
    const first = await open();
    await first.commit([entry("a", null)]);
    const closed = first.close();
    const second = await open(first.id);
    equal([second.role, await ids(second)], ["writer", ["a"]]);
    await closed;
    // As StrictMode does it: the view is gone before its store is open.
    await second.close();
    const third = new IndexedDbStore({ database, locks, id: first.id });
    const undone = third.open().then(() => third.close());
    const fourth = await open(first.id);
    equal(fourth.role, "writer");
    await undone;
    await fourth.commit([entry("b", "a")]);
    await fourth.close();
  });

  on("taking over waits for what the holder wants to finish", async () => {
    const holder = await open();
    await holder.commit([entry("a", null)]);
    const taker = await open(holder.id);
    const role = becomes(holder, "mirror");
    holder.subscribe((event) => {
      if (event.type === "asked") event.until(holder.commit([entry("b", "a")]));
    });
    await taker.takeOver();
    await role;
    equal([holder.role, taker.role], ["mirror", "writer"]);
    equal(await ids(taker), ["a", "b"]);
    await refuses(holder.commit([entry("c", "b")]), "fenced");
    await taker.commit([entry("c", "b")]);
    const back = becomes(holder, "writer");
    await taker.close();
    await back;
    await holder.commit([entry("d", "c")]);
    equal(await ids(holder), ["a", "b", "c", "d"]);
    await holder.takeOver();
    await holder.close();
  });

  on("a holder that does not answer loses the lock after 5 seconds, and its commits fail", async () => {
    const holder = await open();
    await holder.commit([entry("a", null)]);
    const clock = handClock();
    const taker = await open(holder.id, { clock });
    const asked = told(holder, "asked");
    const never = new Promise(() => {});
    holder.subscribe((event) => event.type === "asked" && event.until(never));
    const taking = taker.takeOver();
    await asked;
    equal([holder.role, taker.role], ["writer", "mirror"]);
    await clock.tick(5000);
    await taking;
    equal(taker.role, "writer");
    await taker.commit([entry("b", "a")]);
    await refuses(holder.commit([entry("x", "a")]), "fenced");
    equal([holder.role, await ids(holder)], ["mirror", ["a", "b"]]);
    await holder.close();
    await taker.close();
  });

  on("what was under way when another page took over fails whole", async () => {
    const holder = await open();
    await holder.commit([entry("a", null)]);
    const clock = handClock();
    const taker = await open(holder.id, { clock });
    holder.subscribe((event) => event.type === "asked" && event.until(new Promise(() => {})));
    const asked = told(holder, "asked");
    const taking = taker.takeOver();
    await asked;
    await clock.tick(5000);
    const commits = Array.from({ length: 20 }, (_, at) =>
      holder
        .commit([
          entry(`h${at}`, at ? `h${at - 1}` : "a"),
          session.setValue("pi.branch.tip", "main", `h${at}`),
        ])
        .then(
          () => true,
          ({ code }) => code,
        ),
    );
    await taking;
    const done = await Promise.all(commits);
    const kept = done.filter((each) => each === true).length;
    ok(
      done.slice(kept).every((code) => code === "fenced" || code === "missing_parent"),
      done.join(),
    );
    equal((await ids(taker)).length, 1 + kept);
    equal(await taker.value("pi.branch.tip", "main"), kept ? `h${kept - 1}` : undefined);
    await holder.close();
    await taker.close();
  });

  on("a mirror that missed hints reads all that it missed", async () => {
    let deaf = true;
    const Real = globalThis.BroadcastChannel;
    globalThis.BroadcastChannel = class extends Real {
      postMessage(message) {
        if (!deaf) super.postMessage(message);
      }
    };
    const writer = await open();
    globalThis.BroadcastChannel = Real;
    await writer.commit([entry("e0", null)]);
    const mirror = await open(writer.id);
    const [first] = await mirror.scanEntries();
    const commits = [];
    for (let at = 1; at <= lost; at++) commits.push(writer.commit([entry(`e${at}`, `e${at - 1}`)]));
    await Promise.all(commits);
    deaf = false;
    const changed = told(mirror, "changed");
    await writer.commit([entry("last", `e${lost}`)]);
    equal(await changed.then(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]), [2, lost + 2]);
    const missed = await mirror.scanEntries({ order: "asc", cursor: first });
    equal(missed.length, lost + 1);
    ok(
      missed.every(({ id }, at) => id === (at === lost ? "last" : `e${at + 1}`)),
      "in order",
    );
    const role = becomes(mirror, "writer");
    await writer.close();
    await role;
    await mirror.close();
  });

  on("a page that is put aside lets go, and is the writer again when it comes back", async () => {
    if (locks === null) return;
    const store = await open();
    await store.commit([entry("a", null)]);
    const name = `${database}:session:${store.id}`;
    const held = async () => (await navigator.locks.query()).held.some((lock) => lock.name === name);
    ok(await held(), "held");
    for (const [leave, back, target] of [
      ["pagehide", "pageshow", globalThis],
      ["freeze", "resume", document],
    ]) {
      target.dispatchEvent(new Event(leave));
      // The lock is free for whoever asks.
      await navigator.locks.request(name, () => {});
      ok(!(await held()), `free after ${leave}`);
      // Still good for what the page writes while it goes.
      await store.commit([session.setValue("app", leave, 1)]);
      target.dispatchEvent(new Event(back));
      await new Promise((resolve) => navigator.locks.request(name, { ifAvailable: true }, resolve));
      await store.commit([session.setValue("app", back, 1)]);
      equal(store.role, "writer");
    }
    await store.close();
    ok(!(await held()), "free after close");
  });
  return cases;
}

/** Without Web Locks: a lease in the database. */
export function leaseCases(session, database) {
  const { IndexedDbStore } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  const open = async (id, clock) => {
    const store = new IndexedDbStore({ database, locks: null, clock, ...(id ? { id } : {}) });
    await store.open();
    return store;
  };
  /** Until the database has done what a timer began. */
  const settled = (store) => async () => {
    for (let at = 0; at < 5; at++) await store.header();
  };

  on("a lease that is renewed stays; one that is not ends after 10 seconds", async () => {
    const time = handClock();
    const holder = await open(undefined, time);
    await holder.commit([entry("a", null)]);
    const waiting = handClock();
    const other = await open(holder.id, waiting);
    equal([holder.role, other.role], ["writer", "mirror"]);
    for (let at = 0; at < 10; at++) {
      await time.tick(3000, settled(holder));
      await waiting.tick(3000, settled(other));
    }
    equal([holder.role, other.role], ["writer", "mirror"]);
    // The page of the holder stops, and nobody closes anything.
    const role = becomes(other, "writer");
    await waiting.tick(9000, settled(other));
    equal(other.role, "mirror");
    await waiting.tick(3000, settled(other));
    await role;
    await other.commit([entry("b", "a")]);
    await refuses(holder.commit([entry("x", "a")]), "fenced");
    equal([holder.role, await ids(other)], ["mirror", ["a", "b"]]);
    await holder.close();
    await other.close();
  });

  on("a clock that was put back does not make a lease of a page that is gone last", async () => {
    const day = 24 * 60 * 60 * 1000;
    const gone = await open(undefined, handClock(1_700_000_000_000 + day));
    await gone.commit([entry("a", null)]);
    const time = handClock();
    const next = await open(gone.id, time);
    equal(next.role, "mirror");
    const role = becomes(next, "writer");
    await time.tick(15_000, settled(next));
    await role;
    await next.commit([entry("b", "a")]);
    await refuses(gone.commit([entry("x", "a")]), "fenced");
    equal(await ids(next), ["a", "b"]);
    await gone.close();
    await next.close();
  });

  on("a holder that wakes up late finds that it writes no more", async () => {
    const time = handClock();
    const holder = await open(undefined, time);
    await holder.commit([entry("a", null)]);
    const later = handClock(time.now() + 20_000);
    const other = await open(holder.id, later);
    equal(other.role, "writer");
    const role = becomes(holder, "mirror");
    await time.tick(3000, settled(holder));
    await role;
    await holder.close();
    await other.close();
  });
  return cases;
}
