// Sessions as pages and without secrets: tests/export, the pages in Chromium.
import { join } from "node:path";
import { root } from "../common.mjs";
import { nodeTests } from "../node-tests.mjs";

await nodeTests(join(root, "tests/export"));
