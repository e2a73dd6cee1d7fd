// A long conversation with a model of a small window, against a mock server made by others: it is compacted on its way, and
// no request is longer than the window.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { Agent, streamSimple } from "steersman";
import { MemoryStore, Session } from "steersman/session";
import { sharedDir } from "../../scripts/common.mjs";
import { families, modelOf } from "./families.mjs";

const WINDOW = 2000;
const TURNS = 60;
const filler = "All work and no play makes a long conversation. ".repeat(3);
const isSummary = (body) => JSON.stringify(body).includes("You write summaries of conversations");
const saying = (text) => ({ predicate: (request) => JSON.stringify(request.messages.at(-1)).includes(text) });

/** All that a request says: prompt, tools and messages. */
function textOf({ systemPrompt = "", messages }) {
  const texts = [systemPrompt];
  for (const { content, toolsAdded } of messages) {
    if (toolsAdded) texts.push(JSON.stringify(toolsAdded));
    for (const block of typeof content === "string" ? [{ text: content }] : content)
      texts.push(block.text ?? JSON.stringify(block));
  }
  return texts.join("");
}

const judge = sharedDir() && join(sharedDir(), "wire/validate-request.mjs");
const { validateRequest } = judge && existsSync(judge) ? await import(judge) : {};

let mock;
let summaries = 0;
before(async () => {
  mock = new LLMock({ port: 0, logLevel: "silent" });
  mock.on({ predicate: isSummary }, () => ({
    content: `Summary ${++summaries}: they talk about work and play.`,
  }));
  mock.on(
    { ...saying("weather"), hasToolResult: false },
    { toolCalls: [{ name: "look", arguments: { at: "sky" } }] },
  );
  mock.on({ predicate: () => true }, { content: `An answer. ${filler}` });
  await mock.start();
});
afterEach(() => {
  mock.clearRequests();
  mock.resetMatchCounts();
  summaries = 0;
});
after(() => mock.stop());

for (const api of families)
  test(`${api}: a conversation of ${TURNS} turns goes through a window of ${WINDOW} tokens`, async (t) => {
    const model = modelOf(api, mock.url, { contextWindow: WINDOW, maxTokens: 200, reasoning: false });
    const look = {
      ...{ name: "look", label: "Look", description: "Looks somewhere." },
      parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
      execute: async () => ({ content: [{ type: "text", text: `Blue. ${filler}` }], details: {} }),
    };
    const asked = [];
    const sent = [];
    const onPayload = (body) => void sent.push(structuredClone(body));
    const streamFn = (...args) => {
      asked.push(args[1]);
      return streamSimple(args[0], args[1], { ...args[2], onPayload });
    };
    const agent = new Agent({
      ...{ streamFn, getApiKey: () => "test-key" },
      initialState: { model, systemPrompt: "Answer briefly.", tools: [look] },
    });
    const session = await Session.open({
      ...{ agent, store: new MemoryStore() },
      compaction: { reserveTokens: 600, keepRecentTokens: 400 },
    });
    const ends = [];
    session.subscribe((event) => {
      if (event.type === "compaction_end") ends.push(event);
    });
    for (let turn = 1; turn <= TURNS; turn++) {
      await session.prompt(turn % 5 === 0 ? `What is the weather, ${turn}?` : `Question ${turn}. ${filler}`);
      const last = agent.state.messages.at(-1);
      assert.equal(last.stopReason, "stop", last.errorMessage);
    }
    const done = ends.filter(({ result }) => result);
    assert.ok(done.length >= 3, `${done.length} compactions`);
    assert.deepEqual(
      ends.filter(({ result }) => !result),
      [],
    );

    const bodies = mock.getRequests().map(({ body }) => body);
    assert.equal(
      bodies.length,
      asked.length,
      "every request went through the stream function of the session",
    );
    assert.equal(bodies.filter(isSummary).length, summaries);
    assert.ok(summaries >= done.length);
    const sizes = asked.map((context) => Math.ceil(textOf(context).length / 4));
    assert.ok(Math.max(...sizes) < WINDOW, `${Math.max(...sizes)} tokens`);
    assert.equal(sent.length, bodies.length);
    if (validateRequest) for (const body of sent) assert.deepEqual(validateRequest(api, body, { model }), []);
    const kinds = session.tree.getEntries().map(({ type, message }) => message?.role ?? type);
    assert.equal(kinds.filter((kind) => kind === "user").length, TURNS, "nothing was deleted");
    t.diagnostic(
      `figures: ${api}: ${done.length} compactions, ${summaries} summaries, largest request ${Math.max(...sizes)} tokens`,
    );
  });
