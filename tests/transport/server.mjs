// A model server that follows a script, for the Rust transport in a browser: `/SCRIPT/ID/...` takes the requests of a
// test that chose the ID, `/fixtures` lists the recorded bodies and `/fixtures/FAMILY/NAME/...` plays one. `/tell/ID`
// tells the script to go on, `/asked/ID` answers when a request has come, and `/closed/ID` when the client has closed the
// connection of a response that was not complete.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { root } from "../../scripts/common.mjs";

const recorded = join(root, "fixtures/wires");
const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (delta, finish_reason = null) =>
  event({ id: "c1", choices: [{ index: 0, delta, finish_reason }] });
const text = (content) => delta({ content });
const done = `${delta({}, "stop")}data: [DONE]\n\n`;
const call = (id, args, name = "send") =>
  delta({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }] });
const called = `${delta({}, "tool_calls")}data: [DONE]\n\n`;

/**
 * Each gets the response, the body of the request as a value, how many requests with the ID came before, and when it
 * was told something.
 */
const scripts = {
  chat,
  answer(response, body) {
    const { content } = last(body);
    stream(response).end(text("You said: ") + text(content) + done);
  },
  key: (response) => json(response, 401, { error: { message: "no such key" } }),
  page: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Please log in</h1>"),
  lost(response, _body, _before, told) {
    stream(response).write(text("so far"));
    told.then(() => response.destroy());
  },
  unfinished: (response) => stream(response).end(text("so far")),
  endless: (response) => stream(response).write(text("so far")),
  silent() {},
  /** Asks for more patience than anybody has, as a date. */
  tomorrow(response, body, before) {
    if (before === 1) return scripts.answer(response, body);
    response.setHeader("retry-after", "Wed, 01 Jan 2200 00:00:00 GMT");
    json(response, 503, { error: { message: "come back later" } });
  },
  /** Does not say clearly whether trying again helps. */
  vague(response, body, before) {
    response.setHeader("x-should-retry", "maybe");
    scripts.busy(response, body, before + 1);
  },
  /** Complete, but for the end of its body. */
  lingering: (response) => stream(response).write(text("all") + done),
  burst: (response) => stream(response).end(text("word ").repeat(600) + done),
  redirect: (response) => response.writeHead(307, { location: "/answer/x/chat/completions" }).end(),
  busy(response, body, before) {
    if (before === 2) return scripts.answer(response, body);
    response.setHeader("retry-after-ms", "1");
    json(response, 503, { error: { message: "overloaded" } });
  },
  /** Sends to an address that is none, then to one that is, then tells what the last tool said. */
  tool(response, body, before) {
    const { content } = last(body);
    const arguments_ = [`{"to": "nob`, before === 0 ? `ody"}` : `ody@mail.example"}`];
    if (before < 2)
      stream(response).end(arguments_.map((part) => call(`c${before}`, part)).join("") + called);
    else stream(response).end(text(content) + done);
  },
};

/** The last message, with its text as `content`. */
function last({ messages }) {
  const { role, content } = messages.at(-1);
  return { role, content: typeof content === "string" ? content : content.map(({ text }) => text).join("") };
}

/** For the examples: says what it was asked to do. */
function chat(response, body, before, told) {
  const { role, content } = last(body);
  stream(response);
  if (role === "tool") response.end(text("Done. ") + text(content) + done);
  else if (content.includes("Paint"))
    response.end(call(`c${before}`, `{"colour": "#ffeecc"}`, "paint") + called);
  else if (content.includes("story")) {
    response.write(text("Once upon a time "));
    told.then(() => response.end(text("all was well.") + done));
  } else if (content.includes("Wait")) response.write(text("Waiting"));
  else response.end(text("You said: ") + text(content) + done);
}

function stream(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return response;
}

const json = (response, status, value) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

/** Families that a request of an agent can be for. */
const families = readdirSync(recorded).filter((family) => family !== "pi-proxy");

/** Listens on `port`, or on any other one when that is taken. */
export async function serveScripts(port) {
  const events = new Map();
  /** What can be waited for, before and after it happens. */
  const happening = (what, id) => {
    const key = `${what}/${id}`;
    if (!events.has(key)) {
      let resolve;
      const promise = new Promise((done) => {
        resolve = done;
      });
      events.set(key, { promise, resolve });
    }
    return events.get(key);
  };
  const requests = new Map();

  async function answer(request, response) {
    for (const [name, value] of Object.entries({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*, authorization",
      "access-control-expose-headers": "*",
    }))
      response.setHeader(name, value);
    if (request.method === "OPTIONS") return response.end();
    const [script, id, name] = new URL(request.url, "http://localhost").pathname.split("/").slice(1);
    if (script === "fixtures" && id === undefined) return json(response, 200, fixtures());
    if (script === "tell") {
      happening("tell", id).resolve();
      return response.end();
    }
    if (script === "asked" || script === "closed") {
      await happening(script, id).promise;
      return response.end();
    }
    const parts = [];
    for await (const part of request) parts.push(part);
    if (script === "fixtures") return play(response, id, name);
    response.on("close", () => {
      if (!response.writableFinished) happening("closed", id).resolve();
    });
    const before = requests.get(id) ?? 0;
    requests.set(id, before + 1);
    happening("asked", id).resolve();
    scripts[script](response, JSON.parse(Buffer.concat(parts)), before, happening("tell", id).promise);
  }

  const server = createServer(answer);
  server.listen(port, "127.0.0.1");
  const taken = await Promise.race([once(server, "listening").then(() => false), once(server, "error")]);
  if (taken) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  return server;
}

function fixtures() {
  return families.flatMap((family) =>
    readdirSync(join(recorded, family, "streams"))
      .filter((file) => file.endsWith(".json"))
      .map((file) => ({ family, name: file.replace(/\.json$/, ""), case: caseOf(family, file) })),
  );
}

const caseOf = (family, file) => JSON.parse(readFileSync(join(recorded, family, "streams", file), "utf8"));

/** In two pieces, cut where an event is. */
function play(response, family, name) {
  const { status = 200, contentType = "text/event-stream" } = caseOf(family, `${name}.json`);
  const body = readFileSync(join(recorded, family, "streams", `${name}.sse`));
  const half = body.length >> 1;
  // As recorded: without words beside the status.
  response.writeHead(status, "", contentType === "" ? {} : { "content-type": contentType });
  response.write(body.subarray(0, half), () => response.end(body.subarray(half)));
}
