// A host that compiles nothing gives what it has compiled before: `modules`.
import { initSessions } from "steersman/session";
import * as steersman from "steersman/slim";
import { use } from "./app.mjs";

const { engine, session } = globalThis.modules;
globalThis.result = Promise.all([steersman.init(engine), initSessions(session)]).then(() => use(steersman));
