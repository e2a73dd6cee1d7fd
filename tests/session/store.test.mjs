// The store in memory, by the suite of all stores (tests/stores/contract.mjs).
import { test } from "node:test";
import "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import { contract } from "../stores/contract.mjs";

for (const { name, run } of contract(session, (id) => new session.MemoryStore({ id })))
  test(`memory: ${name}`, run);
