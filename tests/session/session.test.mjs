import { test } from "node:test";
import * as steersman from "../../npm/dist/index.js";
import * as session from "../../npm/dist/session.js";
import { suite } from "./live/suite.mjs";

for (const [name, run] of Object.entries(suite)) test(name, () => run({ steersman, session }));
