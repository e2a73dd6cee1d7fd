// Stores of lines: in a text, in a file that is picked, on a server. By the suite of all stores, and where they break.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent } from "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import * as stores from "../../npm/dist/stores.js";
import { sessionServer } from "../../examples/session-server.mjs";
import { contract } from "../stores/contract.mjs";
import { model, scripted } from "../shell/scripted.mjs";
import { fileHandle } from "./file-handle.mjs";

const { fileHandleLog, JsonlStore, RemoteStore, textLog } = stores;
const user = (content) => ({ type: "message", message: { role: "user", content, timestamp: 1 } });
const entry = (id, parentId = null) => ({ kind: "entry", entry: { id, parentId, ...user(id) } });
const ids = async (store) => (await store.scanEntries({ order: "asc" })).map(({ id }) => id);
const refuses = (promise, code) => assert.rejects(promise, { name: "SessionError", code });

test("an option that does not exist is refused, and the text names those that do", () => {
  for (const [make, words] of [
    [() => new JsonlStore(textLog(), { ids: "a" }), /"ids"; known: id, now/],
    [() => new RemoteStore("http://localhost/", { header: {} }), /"header"; known: .*headers/],
    [() => new stores.OpfsStore({ directory: "a" }), /"directory"; known: .*folder/],
  ])
    assert.throws(make, { name: "AgentError", code: "invalid_request", message: words });
});

test("a long log leaves the page its turn, when it is opened and when it is read", async () => {
  const log = textLog();
  const made = new JsonlStore(log);
  for (let at = 0; at < 20; at++)
    await made.commit(Array.from({ length: 1000 }, (_, place) => entry(`${at}-${place}`)));
  const store = new JsonlStore(textLog(log.text));
  let going = true;
  let turns = 0;
  const count = () => {
    turns++;
    if (going) setImmediate(count);
  };
  count();
  await store.open();
  const opened = turns;
  assert.equal((await store.scanEntries()).length, 20_000);
  going = false;
  assert.ok(opened > 3 && turns - opened > 3, `${opened} and ${turns - opened} turns`);
});

const texts = new Map();
const inText = (id = crypto.randomUUID()) => {
  if (!texts.has(id)) texts.set(id, Object.assign(textLog(), { persisted: true }));
  return new JsonlStore(texts.get(id), { id });
};
for (const { name, run } of contract(session, inText, inText)) test(`lines: ${name}`, run);

const handles = new Map();
const inFile = (id = crypto.randomUUID()) => {
  if (!handles.has(id)) handles.set(id, fileHandle());
  return new JsonlStore(fileHandleLog(handles.get(id)), { id });
};
for (const { name, run } of contract(session, inFile, inFile)) test(`file handle: ${name}`, run);

// --- A server
const folder = mkdtempSync(join(tmpdir(), "steersman-sessions-"));
let server;
let url;
async function start() {
  server = await sessionServer(folder);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${server.address().port}/sessions`;
}
function stop() {
  server.closeAllConnections();
  return new Promise((done) => server.close(done));
}
before(start);
after(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});
const remote = (id = crypto.randomUUID(), options = {}) =>
  new RemoteStore(`${url}/${id}`, { id, retryDelayMs: 0, ...options });
for (const { name, run } of contract(session, remote, remote)) test(`server: ${name}`, run);

test("the lines are a file of version 4, which opens as a session", async () => {
  const tree = session.SessionTree.create({ id: "s", cwd: "/boat", now: () => 1767225600000 });
  tree.appendMessage(user("hello").message);
  tree.appendUsage("cache_warm", "p", "m", {
    input: 1,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 1,
    cost: { total: 0 },
  });
  tree.appendMessage(user("again").message);
  const log = textLog();
  const store = new JsonlStore(log, { id: "s" });
  await store.commit(session.treeWrites(tree));
  const copy = session.SessionTree.import(log.text);
  assert.deepEqual(copy.reports, []);
  assert.equal(copy.getHeader().cwd, "/boat");
  assert.deepEqual(
    copy.buildSessionContext().messages,
    tree.buildSessionContext().messages,
    "what the model sees is the same",
  );
  // And the store gives back what it was given, a member named like one of the line included.
  const again = new JsonlStore(textLog(log.text));
  const entries = (await again.scanEntries({ order: "asc" })).map(({ seq: _, ...rest }) => rest);
  assert.equal(session.SessionTree.from(await again.header(), entries).export(), tree.export());
  assert.equal(again.id, "s");
});

test("members that the line needs for itself, odd times and odd names come back as they were, in their order", async () => {
  const odd = [
    { seq: "x", kind: "k", type: "usage", id: "a", timestamp: "yesterday", parentId: null },
    { type: "custom", timestamp: "2026-01-01T00:00:00Z", id: "b", parentId: "a", "steersman.exact": 1 },
    { type: "custom", id: "c", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", data: { z: 1, a: 2 } },
  ];
  const log = textLog();
  const store = new JsonlStore(log);
  await store.commit(odd.map((one) => ({ kind: "entry", entry: one })));
  const read = await new JsonlStore(textLog(log.text)).entries(["a", "b", "c"]);
  for (const [at, one] of odd.entries()) {
    const { seq: _, ...rest } = { ...one };
    const { seq: __, ...got } = { ...read[at] };
    if (at !== 1) assert.equal(JSON.stringify(got), JSON.stringify(rest));
  }
});

test("a line that was not written to its end is dropped with its whole commit, and cut before the next one", async () => {
  const log = textLog();
  const store = new JsonlStore(log);
  await store.commit([entry("a")]);
  await store.commit([entry("b", "a"), entry("c", "b")]);
  const whole = log.text;
  const start = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1;
  for (let end = start; end < whole.length; end += 7) {
    const torn = textLog(whole.slice(0, end));
    const opened = new JsonlStore(torn);
    assert.deepEqual(await ids(opened), ["a"]);
    assert.equal(torn.text, whole.slice(0, end), "reading changes nothing");
    const { firstSeq } = await opened.commit([entry("d", "a")]);
    assert.equal(firstSeq, 2);
    assert.deepEqual(await ids(new JsonlStore(textLog(torn.text))), ["a", "d"]);
  }
  const { truncate: _, ...blunt } = textLog(whole.slice(0, -3));
  await refuses(new JsonlStore(blunt).commit([entry("d")]), "failed");
});

test("any other fault refuses the log, and names the line", async () => {
  const log = textLog();
  const store = new JsonlStore(log);
  for (const id of ["a", "b", "c"]) await store.commit([entry(id)]);
  const lines = log.text.split("\n");
  for (const [bad, line] of [
    [[lines[0], "{broken", ...lines.slice(2)], 2],
    [[lines[0], lines[2], lines[1], ""], 3],
    [[lines[0], lines[1], lines[1].replace('"seq":1', '"seq":2'), ""], 3],
    [[lines[0], "3", ""], 2],
    [['{"v":4,"kind":"header","storageVersion":1}', ""], 1],
    [[lines[0], '{"kind":"wish","seq":1}', ""], 2],
  ])
    await assert.rejects(new JsonlStore(textLog(bad.join("\n"))).open(), { code: "corrupt", line });
  await refuses(new JsonlStore(textLog('{"type":"session","version":3,"id":"s"}\n')).open(), "version");
});

test("a log of another program goes on with its numbers and its header", async () => {
  const text = [
    '{"v":4,"kind":"header","id":"theirs","storageVersion":1,"createdAt":1767225600000,"cwd":"/their","nextSeq":90}',
    '{"kind":"entry","id":"a","parentId":null,"type":"message","message":{"role":"user","content":"x","timestamp":1},"seq":7,"timestamp":1767225600000}',
    '[{"kind":"value","op":"set","seq":20,"namespace":"pi.branch.tip","key":"main","value":"a"},{"kind":"list","op":"append","seq":40,"namespace":"n","key":"k","value":1}]',
    "",
  ].join("\n");
  const log = textLog(text);
  const store = new JsonlStore(log);
  assert.deepEqual(await store.header(), {
    ...{ type: "session", version: 3, id: "theirs", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/their" },
  });
  assert.equal(store.id, "theirs");
  assert.deepEqual((await store.entries(["a"]))[0].seq, 7);
  assert.equal((await store.commit([entry("b", "a")])).firstSeq, 41);
  assert.ok(log.text.startsWith(text));
});

test("a log that fails in every way in the middle of a commit loses nothing and stores nothing twice", async () => {
  for (const broken of ["before", "half", "after"])
    for (const blind of [false, true]) {
      const inner = textLog();
      let fails = false;
      let isBlind = false;
      const log = {
        ...inner,
        read: () => (isBlind ? Promise.reject(new Error("offline")) : inner.read()),
        truncate: (bytes) => inner.truncate(bytes),
        async append(text) {
          if (!fails) return inner.append(text);
          if (broken === "half") await inner.append(text.slice(0, text.length >> 1));
          if (broken === "after") await inner.append(text);
          isBlind = blind;
          throw new Error("the disk is gone");
        },
      };
      const store = new JsonlStore(log);
      await store.commit([entry("a")]);
      fails = true;
      const landed = broken === "after";
      const commit = store.commit([entry("b", "a")]);
      // Read again at once, it is known whether it is there.
      if (landed && !blind) assert.equal((await commit).firstSeq, 2);
      else await refuses(commit, "failed");
      fails = false;
      isBlind = false;
      if (blind || !landed) assert.equal((await store.commit([entry("b", "a")])).firstSeq, 2);
      await store.commit([entry("c", "b")]);
      assert.deepEqual(await ids(store), ["a", "b", "c"]);
      assert.deepEqual(await ids(new JsonlStore(textLog(inner.text))), ["a", "b", "c"]);
    }
});

test("a file that somebody else has changed is not written", async () => {
  const handle = fileHandle();
  const [one, other] = [0, 1].map(() => new JsonlStore(fileHandleLog(handle)));
  await one.commit([entry("a")]);
  await other.commit([entry("b", "a")]);
  const roles = [];
  one.subscribe(({ type, role }) => roles.push([type, role]));
  await refuses(one.commit([entry("c", "a")]), "fenced");
  assert.equal(one.role, "mirror");
  await refuses(one.commit([entry("c", "a")]), "fenced");
  await one.takeOver();
  await one.commit([entry("c", "b")]);
  assert.deepEqual(await ids(one), ["a", "b", "c"]);
  assert.deepEqual(roles, [
    ["role", "mirror"],
    ["role", "writer"],
  ]);
});

test("a permission that is gone is asked for, and without it nothing is written", async () => {
  const handle = fileHandle();
  const store = new JsonlStore(fileHandleLog(handle));
  handle.permission = "prompt";
  handle.answer = "denied";
  await refuses(store.commit([entry("a")]), "blocked");
  assert.equal(handle.text, "");
  handle.answer = "granted";
  await store.commit([entry("a")]);
  assert.deepEqual(await ids(store), ["a"]);
});

test("server: a network that fails at any place loses nothing and stores nothing twice", async () => {
  const id = crypto.randomUUID();
  const faults = [];
  const fetch = async (address, init) => {
    const fault = init.method === "POST" ? faults.shift() : undefined;
    if (fault === "request") throw new TypeError("Failed to fetch");
    // A request that breaks off in its middle.
    if (fault === "half") {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(String(init.body ?? "").slice(0, 20)));
          setTimeout(() => controller.error(new TypeError("gone")));
        },
      });
      await globalThis.fetch(address, { ...init, body, duplex: "half" }).catch(() => {});
      throw new TypeError("Failed to fetch");
    }
    const response = await globalThis.fetch(address, init);
    if (fault === "answer") throw new TypeError("Failed to fetch");
    return fault ? new Response("busy", { status: Number(fault) }) : response;
  };
  const store = remote(id, { fetch });
  await store.open();
  let parent = null;
  const wanted = [];
  for (const fault of [undefined, "request", "half", "answer", "503", "429"])
    for (const times of [1, 3]) {
      faults.push(...Array(times).fill(fault));
      const name = `e${wanted.length}`;
      await store.commit([entry(name, parent)]);
      faults.length = 0;
      wanted.push(name);
      parent = name;
    }
  assert.deepEqual(await ids(remote(id)), wanted);
  // More often than it is tried: the commit fails, and asked for again it is there once.
  for (const fault of ["request", "answer"]) {
    faults.push(...Array(4).fill(fault));
    const name = `late-${fault}`;
    const first = store.commit([entry(name, parent)]);
    if (fault === "request") {
      await refuses(first, "failed");
      await store.commit([entry(name, parent)]);
    } else await first;
    wanted.push(name);
    parent = name;
  }
  assert.deepEqual(await ids(store), wanted);
  assert.deepEqual(await ids(remote(id)), wanted);
});

test("server: who wrote before is refused once another page writes, and can take over", async () => {
  const id = crypto.randomUUID();
  const [one, other] = [remote(id), remote(id)];
  await one.commit([entry("a")]);
  assert.deepEqual(await ids(other), ["a"]);
  await one.commit([entry("b", "a")]);
  // The other has not seen b.
  await refuses(other.commit([entry("c", "a")]), "fenced");
  await other.takeOver();
  await other.commit([entry("c", "b")]);
  await refuses(one.commit([entry("d", "b")]), "fenced");
  assert.equal(one.role, "mirror");
  await one.takeOver();
  await one.commit([entry("d", "c")]);
  assert.deepEqual(await ids(other), ["a", "b", "c"]);
  await other.takeOver();
  assert.deepEqual(await ids(other), ["a", "b", "c", "d"]);
});

test("server: a restart in the middle of a line keeps what was confirmed", async () => {
  const id = crypto.randomUUID();
  const store = remote(id);
  await store.commit([entry("a")]);
  const name = readdirSync(folder).find((file) => file.startsWith(id));
  const file = join(folder, name);
  await stop();
  writeFileSync(file, `${readFileSync(file, "utf8")}{"kind":"ent`);
  await start();
  const again = remote(id);
  await again.commit([entry("b", "a")]);
  assert.deepEqual(await ids(remote(id)), ["a", "b"]);
});

test("server: refusals have their codes", async () => {
  for (const [status, code] of [
    [401, "blocked"],
    [403, "blocked"],
    [410, "gone"],
    [413, "quota"],
    [507, "quota"],
    [400, "failed"],
    [500, "failed"],
  ]) {
    const store = remote("x", { fetch: async () => new Response("", { status }), retries: 0 });
    await refuses(store.open(), code);
  }
});

test("server: one that does not answer fails the commit in time, which is stored once when it answers again", async () => {
  for (const arrives of [false, true]) {
    let hanging = false;
    const fetch = async (address, init) => {
      if (!hanging || arrives)
        await globalThis.fetch(address, { ...init, signal: undefined }).then((answer) => (last = answer));
      return hanging ? new Promise(() => {}) : last;
    };
    let last;
    const store = remote(undefined, { fetch, timeoutMs: 50, retries: 1 });
    await store.commit([entry("a")]);
    hanging = true;
    await assert.rejects(store.commit([entry("b", "a")]), { code: "failed" });
    hanging = false;
    await store.commit([entry("b", "a")]);
    const there = await remote(store.id).scanEntries({ order: "asc" });
    assert.deepEqual(
      there.map(({ id }) => id),
      ["a", "b"],
    );
  }
});

test("an agent's conversation is kept in each of them and comes back", async () => {
  const handle = fileHandle();
  const log = textLog();
  const id = crypto.randomUUID();
  for (const make of [
    () => new JsonlStore(log),
    () => new JsonlStore(fileHandleLog(handle)),
    () => remote(id),
  ]) {
    const first = await conversation(make());
    await first.agent.prompt("one");
    await first.kept.dispose();
    const second = await conversation(make());
    assert.deepEqual(second.agent.state.messages, first.agent.state.messages);
    await second.agent.prompt("two");
    await second.kept.dispose();
    const third = await conversation(make());
    assert.deepEqual(
      third.agent.state.messages.map(({ role }) => role),
      ["system", "user", "assistant", "user", "assistant"],
    );
    await third.kept.dispose();
  }
});

async function conversation(store) {
  const agent = new Agent({ initialState: { model, systemPrompt: "s" }, streamFn: scripted([]) });
  const kept = new session.Session({ agent, store });
  await kept.ready;
  return { agent, kept };
}
