// Whatever is put into a transcript where a message belongs, the next plain prompt is answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, streamSimple } from "steersman";
import { Agent as Agent085 } from "steersman/pi-0.85";
import { chatModel, provider } from "../hostile/provider.mjs";

const boom = () => {
  throw new Error("boom");
};
const getter = (name, rest) => Object.defineProperty({ ...rest }, name, { enumerable: true, get: boom });
function cyclic() {
  const message = { role: "user", content: [] };
  message.content.push(message);
  return message;
}

/** What is no message. */
const junk = {
  "a number": () => 5,
  "a text": () => "text",
  "a BigInt": () => 10n,
  "a symbol": () => Symbol("s"),
  "a function": () => boom,
  "an object": () => ({}),
  "a list of nothing": () => [null],
  "an error": () => new Error("e"),
  "a role that is null": () => ({ role: null }),
  "a custom message without content": () => ({ role: "custom" }),
  "a user without content": () => ({ role: "user" }),
  "a user with null": () => ({ role: "user", content: null }),
  "a user with a number": () => ({ role: "user", content: 5 }),
  "a user with a list of nothing": () => ({ role: "user", content: [null, 5, "x", {}, []] }),
  "an answer without content": () => ({ role: "assistant" }),
  "an answer that is a text": () => ({ role: "assistant", content: "x", usage: 5 }),
  "an answer with calls of nothing": () => ({
    role: "assistant",
    content: [{ type: "toolCall" }, { type: "toolCall", id: 5, name: null, arguments: "x" }, null],
  }),
  "a result without content": () => ({ role: "toolResult", details: 5 }),
  "a system message without content": () => ({ role: "system" }),
  "a system message with null": () => ({ role: "system", content: null, sections: null }),
  "a system message with numbers": () => ({
    ...{ role: "system", content: 5, sections: 5, toolsAdded: 5, toolsRemoved: 5 },
  }),
  "a system message with lists of nothing": () => ({
    ...{
      role: "system",
      content: [null, 5],
      sections: [null],
      toolsAdded: [null, {}],
      toolsRemoved: [null, 5],
    },
  }),
};

/** What the first run that meets it may refuse, with words for it. */
const refused = {
  undefined: () => undefined,
  null: () => null,
  "a role that throws": () => getter("role", { content: "x" }),
  "a proxy whose traps throw": () => new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom }),
  "a content that throws": () => getter("content", { role: "user" }),
  "a content with a cycle": cyclic,
  "a content that is a BigInt": () => ({ role: "user", content: 10n }),
  "a call with a BigInt": () => ({
    role: "assistant",
    content: [{ type: "toolCall", id: "a", name: "t", arguments: { a: 10n } }],
  }),
  "a result with a BigInt": () => ({
    ...{ role: "toolResult", toolCallId: "a", toolName: "t", details: {} },
    content: [{ type: "text", text: 10n }],
  }),
};

const entries = {
  "prompt()": (agent, value) => agent.prompt(value),
  "prompt() in a list": (agent, value) => agent.prompt([value]),
  "stream()": async (agent, value) => void (await agent.stream(value).result()),
  "send()": (agent, value) => void agent.send(value),
  "steer()": (agent, value) => void agent.steer(value),
  "followUp()": (agent, value) => void agent.followUp(value),
  transformContext: async (agent, value) => {
    agent.transformContext = (messages) => [...messages, value];
    await agent.prompt("first");
    agent.transformContext = undefined;
  },
  "state.messages": (agent, value) => {
    agent.state.messages = [value, value];
  },
  initialState: (_agent, value) => [value],
};

async function play(Kind, enter, value, mayFail) {
  const fetch = provider([]);
  const options = {
    streamFn: (model, context, options) => streamSimple(model, context, { ...options, apiKey: "key", fetch }),
    initialState: { model: chatModel, systemPrompt: "You are a test" },
  };
  let agent = new Kind(options);
  const messages = await enter(agent, value);
  if (messages) agent = new Kind({ ...options, initialState: { ...options.initialState, messages } });
  await agent.waitForIdle();
  await agent.prompt("once");
  if (!mayFail) assert.equal(agent.state.errorMessage, undefined);
  await agent.prompt("plain");
  assert.equal(agent.state.errorMessage, undefined);
  assert.equal(agent.state.messages.at(-1).content[0].text, "done");
  const { role, content } = fetch.requests.at(-1).body.messages.at(-1);
  assert.deepEqual([role, content[0].text ?? content], ["user", "plain"]);
  agent.state.messages.splice(0, 1);
  agent.reset();
}

for (const [profile, Kind] of Object.entries({ 1.6: Agent, 0.85: Agent085 }))
  for (const [entry, enter] of Object.entries(entries))
    test(`${profile}, ${entry}: what is no message fails one run at most`, async () => {
      for (const [name, make] of Object.entries({ ...junk, ...refused })) {
        try {
          await play(Kind, enter, make(), name in refused);
        } catch (error) {
          error.message = `${name}: ${error.message}`;
          throw error;
        }
      }
    });
