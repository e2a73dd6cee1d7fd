// The floor: what a page writes by hand when it has one provider and trusts it. No validation, no retries, no abort, no
// transcript that another provider could read. `raw` is how such a loop is usually written, `raw-tight` how it looks
// once somebody has measured it.

/** The parsed data of each server-sent event. */
async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const data = line.slice(6);
      if (data === "[DONE]") return;
      yield JSON.parse(data);
    }
  }
}

async function readEvents(body, onEvent) {
  for await (const event of events(body)) onEvent(event);
}

/** One model request; `read` takes the body apart. */
async function ask(job, messages, tools, onDelta, read) {
  const response = await fetch(`${job.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${job.apiKey}` },
    body: JSON.stringify({ model: job.model, stream: true, messages, tools }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  let content = "";
  const calls = [];
  await read(response.body, (event) => {
    const delta = event.choices[0]?.delta;
    if (!delta) return;
    if (delta.content) {
      content += delta.content;
      onDelta("text", delta.content);
    }
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      if (id) calls[index] = { id, type: "function", function: { name: piece.name, arguments: "" } };
      if (!piece.arguments) continue;
      calls[index].function.arguments += piece.arguments;
      onDelta("args", piece.arguments);
    }
  });
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

export const rawAdapter = (read) => ({
  async load() {},

  prepare(job) {
    const messages = [
      { role: "system", content: job.system },
      { role: "user", content: job.prompt },
    ];
    const tools = job.tools.map(({ run, ...declaration }) => ({ type: "function", function: declaration }));
    return async (onDelta) => {
      while (true) {
        const message = await ask(job, messages, tools, onDelta, read);
        messages.push(message);
        if (!message.tool_calls) return;
        for (const call of message.tool_calls) {
          const tool = job.tools.find(({ name }) => name === call.function.name);
          const content = await tool.run(JSON.parse(call.function.arguments));
          messages.push({ role: "tool", tool_call_id: call.id, content });
        }
      }
    };
  },
});

export default rawAdapter(readEvents);
