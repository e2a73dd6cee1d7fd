// The scripted model of `loop` cases. An answer travels as a real response of chat completions, one delta per letter.
import { chatModel, sse, streamed } from "../hostile/provider.mjs";
import { Keys } from "./keys.mjs";

const chunk = (choice, usage) => ({
  ...{ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, finish_reason: null, ...choice }] },
  ...(usage && {
    usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
  }),
});

const reasons = { stop: "stop", toolUse: "tool_calls", length: "length" };

/** Pieces of a body for one scripted message. */
function pieces(turn) {
  const keys = new Keys(turn, "turn");
  const made = [];
  let calls = 0;
  for (const block of keys.get("content")) {
    if (block.type === "text") {
      for (const letter of block.text) made.push(chunk({ delta: { content: letter } }));
    } else {
      const call = { index: calls++, id: block.id, type: "function" };
      const fn = { name: block.name, arguments: JSON.stringify(block.arguments) };
      made.push(chunk({ delta: { tool_calls: [{ ...call, function: fn }] } }));
    }
  }
  made.push(chunk({ delta: {}, finish_reason: reasons[keys.get("stopReason")] }, keys.get("usage")));
  keys.done();
  return [...made.map((item) => sse([item], "")), sse([])];
}

/** A stream function of an application that gives some letters and then does what `after` does. */
function custom(steersman, letters, after) {
  const stream = steersman.createAssistantMessageEventStream();
  const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const partial = {
    ...{ role: "assistant", api: "custom", provider: "custom", model: "m", timestamp: 1, stopReason: "stop" },
    ...{ content: [{ type: "text", text: "" }], usage: { ...zero, cost: { ...zero, total: 0 } } },
  };
  stream.push({ type: "start", partial });
  stream.push({ type: "text_start", contentIndex: 0, partial });
  after(stream, (delta) => {
    partial.content[0].text += delta;
    stream.push({ type: "text_delta", contentIndex: 0, delta, partial });
  });
  return stream;
}

/**
 * The stream function for a list of turns. `requests` collects the bodies that were sent, or undefined for turns that
 * send none.
 */
export function scriptedTurns(steersman, turns) {
  const requests = [];
  const streamFn = (_model, context, options) => {
    const turn = turns[requests.length] ?? { content: [{ type: "text", text: "done" }], stopReason: "stop" };
    if ("throw_sync" in turn) {
      requests.push(undefined);
      throw new Error(turn.throw_sync);
    }
    if ("throw_after_first_delta" in turn) {
      requests.push(undefined);
      return (async function* () {
        const stream = custom(steersman, "x", (_stream, letter) => letter("x"));
        for await (const event of stream) {
          yield event;
          if (event.type === "text_delta") throw new Error(turn.throw_after_first_delta);
        }
      })();
    }
    if ("stream" in turn) {
      requests.push(undefined);
      const keys = new Keys(turn, "turn");
      if (keys.get("stream") !== "ends_quietly_on_abort") throw new Error(`not implemented: ${turn.stream}`);
      const letters = [...keys.get("text")];
      keys.done();
      return custom(steersman, letters, async (stream, give) => {
        for (const letter of letters) {
          if (options.signal.aborted) break;
          give(letter);
          await new Promise(setImmediate);
        }
        stream.end();
      });
    }
    const fetch = async (_url, init) => {
      requests.push(JSON.parse(new TextDecoder().decode(init.body)));
      return streamed(pieces(turn));
    };
    return steersman.streamSimple(chatModel, context, { ...options, apiKey: "key", fetch });
  };
  return { streamFn, requests };
}
