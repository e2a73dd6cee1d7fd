// The store in memory, by the suite of all stores (tests/stores/contract.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import { contract } from "../stores/contract.mjs";

for (const { name, run } of contract(session, (id) => new session.MemoryStore({ id })))
  test(`memory: ${name}`, run);

test("where there is no IndexedDB, the store says so, and openStore gives one in memory", async () => {
  const store = new session.IndexedDbStore({ id: "node" });
  const refused = { name: "SessionError", code: "unavailable" };
  await assert.rejects(store.open(), refused);
  await assert.rejects(store.commit([session.setValue("app", "k", 1)]), refused);
  await store.close();
  let error;
  const kept = await session.openStore({ id: "node", onFallback: (thrown) => (error = thrown) });
  assert.deepEqual(
    [kept.id, kept.persisted, kept.role, error.code],
    ["node", false, "writer", "unavailable"],
  );
  await assert.rejects(session.openStore({ fallback: "none" }), refused);
  await assert.rejects(new session.SessionCatalog().list(), refused);
});
