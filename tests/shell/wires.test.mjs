// The fixtures of every wire through the package: the message and the events a user gets.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/common.mjs";
import { isContextOverflow, isRetryable, streamProxy, streamSimple } from "../../npm/dist/index.js";

/** Where `got` is not what `want` asks for; what `want` does not name is free. */
function differences(want, got, at = "") {
  if (typeof want === "number" && typeof got === "number")
    return Math.abs(want - got) <= 1e-9 * Math.max(1, Math.abs(want)) ? [] : [`${at}: ${got}, not ${want}`];
  if (want === null || typeof want !== "object")
    return Object.is(want, got) ? [] : [`${at}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`];
  if (got === null || typeof got !== "object") return [`${at}: ${JSON.stringify(got)}`];
  if (Array.isArray(want) && want.length !== got.length) return [`${at}: ${got.length}, not ${want.length}`];
  return Object.keys(want).flatMap((key) => differences(want[key], got[key], `${at}.${key}`));
}

/** Runs of the same delta are one. */
function joined(events) {
  const out = [];
  for (const event of events) {
    const last = out.at(-1);
    const more =
      event.delta !== undefined && last?.type === event.type && last.contentIndex === event.contentIndex;
    if (more) last.delta += event.delta;
    else out.push({ ...event });
  }
  return out;
}

const wires = join(root, "fixtures/wires");
for (const family of readdirSync(wires)) {
  test(`${family}: every stream gives the message and the events written down`, async () => {
    const folder = join(wires, family, "streams");
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    assert.ok(names.length > 0);
    for (const name of names) {
      const { model, status, contentType, message, events, ...verdicts } = JSON.parse(
        readFileSync(join(folder, name), "utf8"),
      );
      const body = readFileSync(join(folder, name.replace(/json$/, "sse")));
      const fetch = async () =>
        new Response(body, {
          status: status ?? 200,
          headers: { "content-type": contentType ?? "text/event-stream" },
        });
      const context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] };
      const stream =
        family === "pi-proxy"
          ? streamProxy(model, context, { authToken: "test-token", proxyUrl: model.baseUrl, fetch })
          : streamSimple(model, context, { apiKey: "test-key", fetch });
      const seen = [];
      for await (const event of stream) seen.push({ ...event, partial: undefined });
      const got = await stream.result();
      assert.deepEqual(differences(message, got), [], name);
      if (events) assert.deepEqual(differences(events, joined(seen)), [], name);
      if (verdicts.isRetryable !== undefined) assert.equal(isRetryable(got), verdicts.isRetryable, name);
      if (verdicts.isContextOverflow !== undefined)
        assert.equal(isContextOverflow(got, 200_000), verdicts.isContextOverflow, name);
    }
  });
}
