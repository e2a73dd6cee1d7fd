// The suite in a page, which tells the server how it went.
import { Agent } from "/dist/index.js";
import * as session from "/dist/session.js";
import * as logs from "/dist/stores.js";
import { catalogCases } from "./catalog.mjs";
import { contract, play } from "./contract.mjs";
import { faultCases } from "./faults.mjs";
import { hasOpfs, opfsParts } from "./opfs.mjs";
import { leaseCases, ownerCases } from "./owners.mjs";
import { openingCases } from "./opening.mjs";
import { packCases } from "./packs.mjs";

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
const lost = Number(new URLSearchParams(location.search).get("lost") ?? 300);
await part("one writer, Web Locks", ownerCases(session, "owners", { lost }));
await part("one writer, leases", leaseCases(session, "leases"));
await part("packs", packCases(session, "packs"));
await part("opening", openingCases(session, Agent, "opening"));
await part("faults", faultCases(session, "faults"));
const server = new URLSearchParams(location.search).get("remote");
const remote = (id = Array.from(crypto.getRandomValues(new Uint8Array(8))).join("-")) =>
  new logs.RemoteStore(`${server}/sessions/${id}`, { id });
await part("contract, a server of another origin", contract(session, remote, remote));
if (hasOpfs()) {
  parts.push(...(await opfsParts(session, logs, "page")));
  const worker = new Worker("/tests/stores/opfs.worker.mjs", { type: "module" });
  const heard = new Promise((done, fail) => {
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = ({ message }) => fail(new Error(message));
  });
  parts.push(...(await heard));
}

await fetch("/report", { method: "POST", body: JSON.stringify({ parts }) });
