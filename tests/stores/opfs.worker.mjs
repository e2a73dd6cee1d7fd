// The part of a dedicated worker: appends and flushes.
import "/dist/index.js";
import * as session from "/dist/session.js";
import * as stores from "/dist/stores.js";
import { opfsParts } from "./opfs.mjs";

postMessage(await opfsParts(session, stores, "worker"));
