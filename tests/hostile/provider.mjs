// A provider of chat completions behind a fake fetch: it answers what a test scripts and keeps the bodies it was sent.

export const chatModel = {
  ...{
    id: "m",
    name: "Model",
    api: "openai-completions",
    provider: "local",
    baseUrl: "http://model.test/v1",
  },
  ...{ reasoning: false, input: ["text", "image"], contextWindow: 100_000, maxTokens: 1000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const chunk = (choice) => ({
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, finish_reason: null, ...choice }],
});

/** The chunks of an answer given as content blocks (`text`, `thinking` and `toolCall`). */
export function chunksOf(content) {
  const chunks = [];
  let calls = 0;
  for (const block of content) {
    if (block.type === "text") chunks.push(chunk({ delta: { content: block.text } }));
    else if (block.type === "thinking") chunks.push(chunk({ delta: { reasoning_content: block.thinking } }));
    else {
      const call = { index: calls++, id: block.id, type: "function" };
      const text = block.argumentsText ?? JSON.stringify(block.arguments);
      chunks.push(
        chunk({ delta: { tool_calls: [{ ...call, function: { name: block.name, arguments: text } }] } }),
      );
    }
  }
  chunks.push(chunk({ delta: {}, finish_reason: calls > 0 ? "tool_calls" : "stop" }));
  return chunks;
}

/** Server-sent events of chunks (objects) and raw text (strings), with the mark that ends the answer. */
export const sse = (chunks, end = "data: [DONE]\n\n") =>
  chunks.map((item) => (typeof item === "string" ? item : `data: ${JSON.stringify(item)}\n\n`)).join("") +
  end;

/** A response whose body comes in these pieces, one per pull. `after`: called when a pull finds nothing left. */
export function streamed(pieces, { status = 200, headers = {}, after, onCancel } = {}) {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        if (next < pieces.length) {
          const piece = pieces[next++];
          controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
        } else if (after) return after(controller);
        else controller.close();
      },
      cancel: (reason) => onCancel?.(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers: { "content-type": "text/event-stream", ...headers } });
}

/**
 * A fetch that gives the answers in order: content blocks, or a function of the request's body that gives a Response.
 * `requests` keeps `{url, init, body}`.
 */
export function provider(answers) {
  const requests = [];
  const fetch = async (url, init) => {
    const text = new TextDecoder().decode(await new Response(init.body).arrayBuffer());
    const request = { url: String(url), init, text, body: JSON.parse(text) };
    requests.push(request);
    const answer = answers[requests.length - 1] ?? [{ type: "text", text: "done" }];
    return typeof answer === "function" ? answer(request) : streamed([sse(chunksOf(answer))]);
  };
  return Object.assign(fetch, { requests });
}
