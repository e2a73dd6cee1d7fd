// Public bug reports as tests: tests/bugs.
import { join } from "node:path";
import { chromiumPath } from "../browser.mjs";
import { root } from "../common.mjs";
import { nodeTests } from "../node-tests.mjs";

await nodeTests(join(root, "tests/bugs"), { env: { STEERSMAN_CHROMIUM: chromiumPath() } });
