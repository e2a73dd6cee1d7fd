// Whole runs against servers made by others: tests/servers.
import { join } from "node:path";
import { root } from "../common.mjs";
import { startLlama } from "../llama-server.mjs";
import { nodeTests } from "../node-tests.mjs";

const llama = await startLlama();
console.log(
  `figures: llama-server: ${llama.reason ? `not run: ${llama.reason}` : "a real model, three protocols"}`,
);
await nodeTests(join(root, "tests/servers"), { env: llama.url ? { STEERSMAN_LLAMA_URL: llama.url } : {} });
llama.stop?.();
