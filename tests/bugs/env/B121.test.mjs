// B121: importing the package on a server crashed; what an import may do otherwise: tests/shell/inert.test.mjs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("B121 import has no effects in Node, and two loads at once make one instance", async () => {
  assert.equal(globalThis.window, undefined);
  let instances = 0;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...args) {
      super(...args);
      instances++;
    }
  };
  const { init } = await import("steersman/slim");
  assert.equal(instances, 0);
  const bytes = await readFile(new URL(import.meta.resolve("steersman/steersman.wasm")));
  await Promise.all([init(bytes), init(bytes)]);
  await init();
  assert.equal(instances, 1);
});
