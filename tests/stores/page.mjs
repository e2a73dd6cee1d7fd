// The suite in a page, which tells the server how it went.
import "/dist/index.js";
import * as session from "/dist/session.js";
import { catalogCases } from "./catalog.mjs";
import { contract, play } from "./contract.mjs";

const parts = [];
const part = async (name, cases) => parts.push({ name, ...(await play(cases)) });
const store = (options) => (id) => new session.IndexedDbStore({ ...options, ...(id ? { id } : {}) });

const plain = store({ database: "contract" });
await part("contract, IndexedDB", contract(session, plain, plain));
const leased = store({ database: "contract-lease", locks: null });
await part("contract, IndexedDB without Web Locks", contract(session, leased, leased));
await part(
  "contract, memory",
  contract(session, (id) => new session.MemoryStore(id ? { id } : {})),
);
await part("catalogue", catalogCases(session, "catalogue"));

await fetch("/report", { method: "POST", body: JSON.stringify({ parts }) });
