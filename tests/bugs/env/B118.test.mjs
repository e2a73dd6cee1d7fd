// B118: a missing .wasm gave `expected magic word 00 61 73 6d, found 3c 21 64 6f`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as slim from "steersman/slim";

const answer = (body, status, type) => {
  const response = new Response(body, { status, headers: { "content-type": type } });
  return Object.defineProperty(response, "url", { value: "https://app.test/x.wasm" });
};

test("B118 what is no module is refused with its address and type; a wrong type alone is not", async (t) => {
  const bytes = await readFile(new URL(import.meta.resolve("steersman/steersman.wasm")));
  const answers = [
    answer("<!doctype html><title>app</title>", 200, "text/html"),
    answer("not found", 404, "text/plain"),
    answer(bytes, 200, "application/octet-stream"),
  ];
  const asked = [];
  t.mock.method(globalThis, "fetch", async (url) => {
    asked.push(String(url));
    return answers.shift();
  });
  const load = () => slim.init({ module_or_path: "/x.wasm" });
  const refused =
    (...parts) =>
    (error) => {
      assert.ok(error instanceof slim.EngineLoadError);
      assert.equal(error.code, "wasm_load_failed");
      for (const part of ["/x.wasm", ...parts]) assert.ok(error.message.includes(part), error.message);
      return true;
    };
  await assert.rejects(load(), refused("text/html", "start page"));
  await assert.rejects(load(), refused("404"));
  await load();
  assert.deepEqual(asked, ["/x.wasm", "/x.wasm", "/x.wasm"]);
});
