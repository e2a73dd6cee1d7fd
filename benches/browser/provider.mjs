// A scripted model behind the Chat Completions protocol, and the file server of the measured page.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { argumentDeltas, closing, textDelta } from "./cells.mjs";

/** Bytes per write of a burst, as a body arrives that was buffered on its way. */
const chunkBytes = 16 * 1024;

/** Milliseconds between two events of a paced answer. */
const paceMs = 2;

/** The events of one answer, as text. */
function answer(model, turn) {
  const events = [];
  const send = (data) => events.push(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  const head = { id: `chatcmpl-${turn}`, object: "chat.completion.chunk", created: 1760000000, model };
  const choice = (delta, finish_reason = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = (fields) => choice({ tool_calls: [{ index: 0, ...fields }] });

  send(choice({ role: "assistant", content: "" }));
  const [kind, size] = model.split(":");
  const calls = kind === "arguments" && turn === 0;
  if (calls) {
    send(call({ id: "call_1", type: "function", function: { name: "write_file", arguments: "" } }));
    for (const piece of argumentDeltas(Number(size))) send(call({ function: { arguments: piece } }));
  } else {
    const count = kind === "text" ? Number(size) : closing.length;
    for (let i = 0; i < count; i++) send(choice({ content: kind === "text" ? textDelta(i) : closing[i] }));
  }
  send(choice({}, calls ? "tool_calls" : "stop"));
  send({ ...head, choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } });
  send("[DONE]");
  return events;
}

const answers = new Map();

/** The same, made once: making it must not take time from what is measured. */
function prepared(model, turn) {
  const key = `${model} ${turn}`;
  let found = answers.get(key);
  if (!found) {
    const events = answer(model, turn);
    found = { events, bytes: Buffer.from(events.join("")) };
    answers.set(key, found);
  }
  return found;
}

/** Makes the answers of a cell ahead of the first request. */
export function warm({ model }) {
  for (const turn of model.startsWith("arguments") ? [0, 1] : [0]) prepared(model, turn);
}

async function stream(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { model, messages } = JSON.parse(Buffer.concat(parts).toString());
  const turn = messages.filter(({ role }) => role === "tool").length;
  const { events, bytes } = prepared(model, turn);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  if (model.endsWith(":paced")) {
    for (const event of events) {
      if (response.destroyed) return;
      response.write(event);
      await new Promise((resolve) => setTimeout(resolve, paceMs));
    }
  } else {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      if (response.destroyed) return;
      const free = response.write(bytes.subarray(at, at + chunkBytes));
      await (free ? new Promise(setImmediate) : drained(response));
    }
  }
  response.end();
}

function drained(response) {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

const types = { ".html": "text/html; charset=utf-8", ".mjs": "text/javascript", ".js": "text/javascript" };

/** Serves the answers under `/v1` and the files of `folders`, first match wins. */
export async function startServer(folders) {
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      stream(request, response).catch((error) => {
        console.error(error);
        response.destroy();
      });
      return;
    }
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = folders
      .map((folder) => join(folder, path))
      .find((name) => existsSync(name) && statSync(name).isFile());
    if (!file) {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-store",
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}
