// init() goes through a whole run, tool call included, before the first prompt does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { init, setDefaultStreamFn } from "steersman";
import { model, scripted } from "./scripted.mjs";

test("init() exercises request, tool call and answer without the network or anything of the application", async () => {
  const touched = [];
  setDefaultStreamFn(() => {
    touched.push("default stream function");
    return scripted(["x"])(model, { messages: [] });
  });
  const { fetch, Response } = globalThis;
  globalThis.fetch = (...args) => {
    touched.push("fetch");
    return fetch(...args);
  };
  let answers = 0;
  globalThis.Response = class extends Response {
    constructor(...args) {
      super(...args);
      answers++;
    }
  };
  try {
    await Promise.all([init(), init()]);
    await init();
  } finally {
    Object.assign(globalThis, { fetch, Response });
  }
  assert.deepEqual(touched, []);
  // The second answer is asked for only once the tool has run.
  assert.equal(answers, 2);
});
