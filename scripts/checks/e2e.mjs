// The demo page in Chromium, as a person uses it: tests/e2e.
import { join } from "node:path";
import { chromiumPath } from "../browser.mjs";
import { root } from "../common.mjs";
import { nodeTests } from "../node-tests.mjs";
import { modelPath } from "../setup.mjs";

await nodeTests(join(root, "tests/e2e"), {
  env: { STEERSMAN_CHROMIUM: chromiumPath(), STEERSMAN_MODEL: modelPath() ?? "" },
});
