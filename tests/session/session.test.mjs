import { test } from "node:test";
import * as steersman from "../../npm/dist/index.js";
import * as pi085 from "../../npm/dist/pi-0.85.js";
import * as session from "../../npm/dist/session.js";
import { suite } from "./live/suite.mjs";

for (const [name, run] of Object.entries(suite)) test(name, () => run({ steersman, session, pi085 }));
