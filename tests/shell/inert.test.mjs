// Importing does nothing: no wasm, no network, no page. An agent can be made on a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { model, scripted } from "./scripted.mjs";

test("every entry can be imported and used up to the first prompt without WebAssembly and fetch", async () => {
  for (const name of ["WebAssembly", "fetch"]) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => assert.fail(`${name} was used`),
    });
  }
  for (const entry of ["steersman", "steersman/external", "steersman/slim", "steersman/pi-0.85"]) {
    const { Agent } = await import(entry);
    const agent = new Agent({ initialState: { model, systemPrompt: "p" }, streamFn: scripted([]) });
    agent.subscribe(() => {})();
    agent.steer({ role: "user", content: "later", timestamp: 1 });
    agent.reset();
    assert.equal(agent.state.isStreaming, false);
    agent.dispose();
  }
});

test("where WebAssembly does not exist, the first prompt says that the engine could not be loaded", async () => {
  Object.defineProperty(globalThis, "WebAssembly", { configurable: true, value: undefined });
  const { Agent, EngineLoadError } = await import("steersman");
  const agent = new Agent({ initialState: { model }, streamFn: scripted([]) });
  await assert.rejects(agent.prompt("a"), EngineLoadError);
});
