// The external entry, where its module is not found beside it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as external from "steersman/external";
import { model, scripted } from "./scripted.mjs";

test("where the module is not beside the JavaScript, the failure says what to do", async () => {
  const agent = new external.Agent({ initialState: { model }, streamFn: scripted(["1"]) });
  // Node's fetch reads no files.
  await assert.rejects(agent.prompt("a"), ({ code, message }) => {
    assert.equal(code, "wasm_load_failed");
    assert.match(
      message,
      /dist\/steersman\.wasm: .+\. Give init\(\) the address of the package's steersman\.wasm/,
    );
    return true;
  });
  await external.init(await readFile(new URL(import.meta.resolve("steersman/steersman.wasm"))));
  await agent.prompt("a");
  assert.equal(agent.state.messages.at(-1).content[0].text, "1");
});
