// Through every wire: calls of one answer that share an id, and images given as a whole `data:` URL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamProxy, streamSimple } from "steersman";
import { families } from "../handoff/families.mjs";

/** Answers with the bodies, one after the other; what was sent is in `sent`. */
function server({ name, model }, bodies) {
  const sent = [];
  const fetch = async (_url, { body }) => {
    sent.push(JSON.parse(new TextDecoder().decode(body)));
    return new Response(bodies[sent.length - 1], { headers: { "content-type": "text/event-stream" } });
  };
  const streamFn = (asked, context, options) =>
    name === "pi-proxy"
      ? streamProxy(asked, context, { ...options, fetch, authToken: "token", proxyUrl: model.baseUrl })
      : streamSimple(asked, context, { ...options, fetch, apiKey: "key" });
  return { sent, streamFn };
}

const tools = [
  {
    ...{ name: "read", label: "Read", description: "Reads a file" },
    parameters: { type: "object", properties: { path: { type: "string" } } },
    execute: async (_id, { path }) => ({ content: [{ type: "text", text: `text of ${path}` }], details: {} }),
  },
];
const says = (text) => [{ kind: "text", text }];

for (const family of families) {
  test(`${family.name}: calls that share an id get one each, and each gets its own result`, async () => {
    const two = ["a", "b"].map((path) => ({ kind: "call", name: "read", args: { path } }));
    const made = family.answer(two, 1, "toolUse");
    const [first, second] = new Set(made.match(/\b(toolu_|call_|abcDEF)\w+/g));
    const body = made.replaceAll(second, first);
    assert.notEqual(body, made);
    const { sent, streamFn } = server(family, [body, family.answer(says("done"), 2, "stop")]);
    const agent = new Agent({ streamFn, initialState: { model: family.model, tools } });
    await agent.prompt("read both");
    assert.equal(agent.state.errorMessage, undefined);

    const [answer, ...results] = agent.state.messages.filter(({ role }) => /assistant|toolResult/.test(role));
    const ids = answer.content.map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual(
      results.slice(0, 2).map(({ toolCallId, content }) => [toolCallId, content[0].text]),
      [
        [ids[0], "text of a"],
        [ids[1], "text of b"],
      ],
    );
    // In the request every id stands in its call and in its result, and only there.
    const text = JSON.stringify(sent[1]);
    const named = text.match(/"(?:id|call_id|tool_call_id|toolCallId|tool_use_id)":"[^"]*"/g);
    const counts = new Map();
    for (const [, id] of named.map((member) => member.split('":"')))
      counts.set(id, (counts.get(id) ?? 0) + 1);
    const twice = [...counts].filter(([, count]) => count === 2).map(([id]) => id);
    assert.equal(twice.length, 2, text);
    assert.ok(text.indexOf("text of a") < text.indexOf("text of b"));
  });

  test(`${family.name}: an image that is a whole data: URL is sent as one that is not`, async () => {
    const bodies = [];
    const png = "iVBORw0KGgo=";
    for (const image of [
      { type: "image", data: png, mimeType: "image/png" },
      { type: "image", data: `data:image/png;base64,${png}`, mimeType: "image/jpeg" },
      { type: "image", data: `data:image/png;name=a.png;base64,${png}`, mimeType: "" },
      { type: "image", data: `data:;base64,${png}`, mimeType: "image/png" },
    ]) {
      const { sent, streamFn } = server(family, [family.answer(says("I see"), 1, "stop")]);
      const call = { type: "toolCall", id: "call_1", name: "read", arguments: {} };
      const { api, provider, id } = family.model;
      const messages = [
        { role: "user", content: [image, { type: "text", text: "look" }], timestamp: 1 },
        { role: "assistant", content: [call], api, provider, model: id, stopReason: "toolUse", timestamp: 1 },
        {
          ...{ role: "toolResult", toolCallId: "call_1", toolName: "read", isError: false, timestamp: 1 },
          content: [{ type: "text", text: "a picture" }, image],
        },
      ];
      await streamFn(family.model, { messages, tools: [] }, {}).result();
      bodies.push(sent[0]);
      assert.match(JSON.stringify(sent[0]), /iVBORw0KGgo=/);
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
  });
}
