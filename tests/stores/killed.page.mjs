// Says what is in the session, then writes to it until the browser is killed, telling what was acknowledged.
import "/dist/index.js";
import { IndexedDbStore, setValue } from "/dist/session.js";

const post = (path, body) => fetch(path, { method: "POST", body: JSON.stringify(body), keepalive: false });
const store = new IndexedDbStore({ id: "killed", database: "killed" });
await store.open();
const entries = await store.scanEntries({ order: "asc" });
let tip = await store.value("pi.branch.tip", "main");
const { messageCount } = await store.stats();
await post("/found", {
  role: store.role,
  tip: tip ?? null,
  messageCount,
  entries: entries.map(({ id, parentId, message }) => [id, parentId, message.content.length]),
});

if (!new URLSearchParams(location.search).has("last")) {
  for (let at = entries.length; ; at++) {
    const id = `e${at}`;
    // Every eighth is long enough for a blob: its text must not be missing either.
    const content = "x".repeat(at % 8 === 7 ? 70_000 : 100);
    const entry = {
      id,
      parentId: tip ?? null,
      type: "message",
      message: { role: "user", content, timestamp: at },
    };
    if (at === entries.length) await post("/started", at);
    await store.commit([{ kind: "entry", entry }, setValue("pi.branch.tip", "main", id)]);
    tip = id;
    void post("/acknowledged", id);
  }
}
