// The TypeScript shell in Node, through the built package: tests/shell.
import { join } from "node:path";
import { root } from "../common.mjs";
import { nodeTests } from "../node-tests.mjs";

await nodeTests(join(root, "tests/shell"));
