// B083: dropping the stream on the Rust side did not abort the browser's fetch, and the bill went on running.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { chatModel, sse } from "../../hostile/provider.mjs";
import { turn } from "../../hostile/observe.mjs";

for (const how of ["abort", "dispose"]) {
  test(`B083 ${how}() at the second delta ends fetch and body, and nothing more is read`, async () => {
    const seen = { signal: undefined, cancelled: 0, reads: 0 };
    const piece = new TextEncoder().encode(sse([{ choices: [{ index: 0, delta: { content: "x" } }] }], ""));
    const fetch = async (_url, init) => {
      seen.signal = init.signal;
      const body = new ReadableStream(
        {
          pull(controller) {
            seen.reads++;
            controller.enqueue(piece);
          },
          cancel: () => void seen.cancelled++,
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const streamFn = (model, context, options) =>
      streamSimple(model, context, { ...options, apiKey: "key", fetch });
    const agent = new Agent({ streamFn, initialState: { model: chatModel } });
    let deltas = 0;
    let readsThen;
    agent.subscribe((event) => {
      if (event.assistantMessageEvent?.type !== "text_delta") return;
      if (++deltas !== 2) return;
      agent[how]();
      readsThen = seen.reads;
    });
    await agent.prompt("a");
    await turn();
    assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
    assert.equal(deltas, 2);
    assert.equal(seen.signal.aborted, true);
    assert.equal(seen.cancelled, 1);
    // A read that was already under way is not one after.
    assert.ok(seen.reads - readsThen <= 1, `${seen.reads - readsThen} reads`);
  });
}
