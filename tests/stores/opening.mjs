// A session that is opened from packs is the one that was written: whatever it consists of, whatever is asked first.
import { equal, ok, refuses } from "./assert.mjs";
import { handClock, raw } from "./hands.mjs";

/** Pseudo-random numbers below `below`. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 48271) >>> 0) % 2147483647 || 1;
    return state % below;
  };
}

const usage = {
  ...{ input: 5, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 8 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Entries of all kinds, with branches that are left, on the whole and in the middle of each other. */
function randomEntries(seed, count) {
  const roll = dice(seed);
  const entries = [];
  const one = (...kinds) => kinds[roll(kinds.length)];
  let leaf = null;
  const pathOf = (id) => {
    const by = new Map(entries.map((entry) => [entry.id, entry]));
    const path = [];
    for (let at = by.get(id); at; at = by.get(at.parentId)) path.push(at);
    return path;
  };
  const add = (type, members) => {
    const place = entries.length;
    const id =
      seed % 3 || roll(50) ? `${seed}-${place}` : one(`é ${place}`, `a,b${place}`, `"${place}`, `-${place}`);
    const time = Date.UTC(2026, 0, 2) + place * 1000;
    const timestamp = roll(40) ? new Date(time).toISOString() : one("2026-01-03T00:00:00Z", "then", "");
    entries.push({ type, id, parentId: leaf, timestamp, ...members });
    leaf = id;
  };
  const say = (message) => add("message", { message: { ...message, timestamp: entries.length } });
  const text = () => one("plain", "schön", "\u6f22\u5b57".repeat(9), "a\u2013b", "\ud800", "\0\u2028");
  while (entries.length < count) {
    const kind = roll(100);
    if (kind < 30) say({ role: "user", content: one(text(), [{ type: "text", text: text() }]) });
    else if (kind < 60) {
      const model = { api: "x", provider: one("p", "q"), model: "m" };
      say({
        role: "assistant",
        content: [{ type: "text", text: text() }],
        ...model,
        usage,
        stopReason: "stop",
      });
    } else if (kind < 70)
      say({ role: "toolResult", toolCallId: "c", toolName: "read", content: [], isError: false });
    else if (kind < 72) say({ role: "system", content: text() });
    else if (kind < 75) add("model_change", { provider: "p", modelId: text() });
    else if (kind < 77) add("thinking_level_change", { thinkingLevel: one("low", "high") });
    else if (kind < 79) add("custom", { customType: "state", data: { nested: [1, null, text()] } });
    else if (kind < 81) add("custom_message", { customType: "note", content: text(), display: true });
    else if (kind < 83 && leaf)
      add("label", { targetId: one(leaf, entries[roll(entries.length)].id), label: text() });
    else if (kind < 84) add("session_info", { name: text() });
    else if (kind < 85) add("tomorrow", { odd: text() });
    else if (kind < 86) say({ role: "user", content: "long ".repeat(15_000) });
    else if (kind < 87 && leaf) add("branch_summary", { fromId: leaf, summary: text() });
    else if (kind < 89 && leaf) {
      const kept = one(...pathOf(leaf).slice(0, 30), { id: "nowhere" });
      add("compaction", { summary: text(), firstKeptEntryId: kept.id, tokensBefore: roll(9999) });
    } else if (kind < 91 && leaf) {
      const target = pathOf(leaf).find(({ message }) => message?.role === "user");
      if (target) add("context_edit", { targetId: target.id, replacement: one(null, { content: text() }) });
    } else if (kind < 93)
      leaf = roll(9) ? (entries[entries.length - 1 - roll(Math.min(60, entries.length))]?.id ?? null) : null;
  }
  return entries;
}

/** All that a tree says. */
function saidBy(tree, ids) {
  const brief = ({ messages, sources, entries, model, thinkingLevel }) => ({
    ...{ messages, model, thinkingLevel },
    sources: sources.map(({ id }) => id),
    entries: entries.map(({ id }) => id),
  });
  return {
    leaf: tree.getLeafId(),
    context: brief(tree.buildSessionContext()),
    size: tree.contextSize(),
    others: ids.map((id) => [tree.getEntry(id), brief(tree.buildSessionContext(id)), tree.getChildren(id)]),
    name: tree.getSessionName(),
    labels: tree.getLabels(),
    branch: tree.getBranch(),
    text: tree.export(),
    tree: tree.getTree().length,
  };
}

export function openingCases(session, Agent, database) {
  const { IndexedDbStore, Session, SessionTree } = session;
  const cases = [];
  const on = (name, run) => cases.push({ name, run });
  const header = (id) => ({
    type: "session",
    version: 3,
    id,
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "/",
  });
  const silent = () => new Agent({ streamFn: () => Promise.reject(new Error("nobody is asked")) });
  const copy = (value) => structuredClone(value);

  /** Stores a session as pages do, and waits until it is packed. */
  async function stored(entries, tip) {
    const clock = handClock();
    const store = new IndexedDbStore({ database, clock });
    await store.commit([{ kind: "header", header: header(store.id) }]);
    for (let at = 0; at < entries.length; at += 97) {
      const writes = entries.slice(at, at + 97).map((entry) => ({ kind: "entry", entry }));
      writes.push({ kind: "usage", row: { id: `usage-${at}`, usage } });
      await store.commit(writes);
    }
    await store.commit([{ kind: "value", op: "set", namespace: "pi.branch.tip", key: "main", value: tip }]);
    await clock.tick(500);
    await packs(store.id, entries.length > 1000 ? Math.floor((entries.length + 30) / 1000) : 0);
    await store.close();
    return store.id;
  }

  /** The packs of a session, when there are so many. */
  async function packs(id, count) {
    const range = IDBKeyRange.bound([id, "pack:"], [id, "pack:~"]);
    for (;;) {
      const db = await raw.open(database);
      const found = await raw.promised(db.transaction("blobs").objectStore("blobs").getAll(range));
      db.close();
      if (found.length >= count) return found;
    }
  }

  async function opened(id, options = {}) {
    const agent = silent();
    const clock = handClock();
    return Session.open({ agent, store: new IndexedDbStore({ database, id, clock, ...options }) });
  }

  on("random sessions are the same from packs", async () => {
    let texts = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const entries = randomEntries(seed, 900 + seed * 350);
      const roll = dice(seed);
      const tip = roll(3) ? entries.at(-1).id : entries[roll(entries.length)].id;
      const id = await stored(entries, tip);
      texts += (await packs(id, 1)).filter(({ packed }) => packed).length;
      const wanted = SessionTree.from(header(id), copy(entries), { now: () => 0, ids: () => "fresh" });
      wanted.branch(tip);
      const ids = Array.from({ length: 12 }, () => entries[roll(entries.length)].id);
      const session = await opened(id, {});
      equal(session.agent.state.messages, wanted.buildSessionContext().messages, `messages of ${seed}`);
      const got = saidBy(session.tree, ids);
      const all = saidBy(wanted, ids);
      // The mark of the leaf has an id and a time of its own.
      for (const said of [got, all]) said.text = said.text.replace(/\n[^\n]*steersman\.leaf[^\n]*\n$/, "\n");
      for (const key of Object.keys(all)) equal(got[key], all[key], `${key} of ${seed}`);
      equal(session.tree.getEntries(), entries, `entries of ${seed}`);
      equal(session.tree.reports, wanted.reports, `reports of ${seed}`);
      equal(session.unsaved, 0);
      await session.dispose();
    }
    ok(texts > 0, "none was packed as a text");
  });

  /** A conversation of one line. */
  const line = (count) =>
    Array.from({ length: count }, (_, place) => ({
      ...{ type: "message", id: `e${place}`, parentId: place ? `e${place - 1}` : null },
      timestamp: new Date(Date.UTC(2026, 0, 2) + place).toISOString(),
      message: { role: "user", content: `${place}`, timestamp: place },
    }));

  on("what is added to a session from packs follows its leaf, and is there the next time", async () => {
    const entries = line(2100);
    const id = await stored(entries, "e2099");
    const first = await opened(id);
    equal(first.role, "writer");
    await first.setLabel("e3", "early");
    await first.branch("e1200");
    await first.setName("packed");
    await first.dispose();
    const again = await opened(id);
    equal([again.name, again.tree.getLabels(), again.tree.count], ["packed", { e3: "early" }, 2102]);
    equal(
      again.tree
        .getEntries()
        .slice(-2)
        .map(({ parentId }) => parentId),
      ["e2099", "e1200"],
    );
    equal(again.tree.getBranch().length, 1202);
    equal(again.agent.state.messages.at(-1).content, "1200");
    equal(
      again.versions("e1201").entries.map((entry) => entry.id),
      ["e1201"],
    );
    await again.dispose();
  });

  on("packs of objects, which were made before, are read too", async () => {
    const entries = line(2100);
    const id = await stored(entries, "e2099");
    const db = await raw.open(database);
    for (const { sha256, packed } of await packs(id, 2)) {
      const rows = JSON.parse(new TextDecoder().decode(packed.text)).map((entry, place) => ({
        ...{ s: id, id: entry.id, seq: packed.seqs[place], parentId: entry.parentId ?? "", entry },
      }));
      const blobs = db.transaction("blobs", "readwrite").objectStore("blobs");
      await raw.promised(blobs.put({ s: id, sha256, rows }));
    }
    db.close();
    const session = await opened(id);
    equal(session.tree.getEntries(), entries);
    equal(session.agent.state.messages.length, 2100);
    await session.dispose();
  });

  on("a pack that cannot be read is `corrupt`, and only for who looks into it", async () => {
    const entries = line(2100);
    entries[2050] = {
      ...entries[2050],
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "e2045",
      tokensBefore: 1,
    };
    const id = await stored(entries, "e2099");
    const [first] = await packs(id, 2);
    const db = await raw.open(database);
    const blobs = db.transaction("blobs", "readwrite").objectStore("blobs");
    await raw.promised(
      blobs.put({ ...first, packed: { ...first.packed, text: first.packed.text.slice(0, -9) } }),
    );
    db.close();
    const session = await opened(id);
    equal(session.agent.state.messages.length, 55);
    equal(session.tree.getEntry("e2000").id, "e2000");
    for (const ask of [
      () => session.tree.getEntry("e5"),
      () => session.getTree(),
      () => session.tree.export(),
    ])
      await refuses(new Promise((resolve) => resolve(ask())), "corrupt");
    await session.setLabel("e2000", "still writes");
    equal(session.unsaved, 0);
    await session.dispose();
  });

  on("a session with a damaged pack is read from its entries, and says so", async () => {
    const entries = line(2100);
    const id = await stored(entries, "e2099");
    const [first, second] = await packs(id, 2);
    const { outline, told, text } = second.packed;
    const damages = {
      "an id less": { outline: outline.slice(outline.indexOf(" ") + 1) },
      "no text of JSON": { outline: `"${outline}` },
      "a shape that is none": { outline: outline.replace(/\d+(,\d*,\d+)$/, "99$1") },
      "an entry that is none": { outline: outline.replace(/\d+,\d*,\d+$/, "-") },
      "shapes that are no JSON": { told: told.slice(0, -2) },
      "entries that are cut": { text: text.slice(0, -9) },
    };
    for (const [name, damage] of Object.entries(damages)) {
      const db = await raw.open(database);
      const blobs = db.transaction("blobs", "readwrite").objectStore("blobs");
      await raw.promised(blobs.put({ ...second, packed: { ...second.packed, ...damage } }));
      db.close();
      const session = await opened(id);
      equal(session.restored.reports, [{ code: "damaged_pack" }], name);
      equal(session.tree.getEntries(), entries, name);
      equal(session.agent.state.messages.length, 2100, name);
      const read = await session.store.scanEntries({ order: "asc", limit: 1500 });
      equal(read.length, 1500, name);
      await session.dispose();
    }
    ok(first.packed, "the first pack is one of texts too");
  });

  on("a store that reads entries in its own way is asked for them", async () => {
    class Shouting extends IndexedDbStore {
      async scanEntries(query) {
        const found = await super.scanEntries(query);
        for (const entry of found) entry.message.content += "!";
        return found;
      }
    }
    const id = await stored(line(1100), "e1099");
    const session = await Session.open({
      agent: silent(),
      store: new Shouting({ database, id, clock: handClock() }),
    });
    equal(session.agent.state.messages.at(-1).content, "1099!");
    await session.dispose();
  });
  return cases;
}
