// A server that keeps sessions for `RemoteStore` of steersman/stores, in a folder, one file each. No dependencies:
//   node examples/session-server.mjs [FOLDER [PORT]]
// Whoever can reach it can read and write: put your own sign-in before it (`allowed`).
import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const LARGEST = 64 * 2 ** 20;
const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type",
};

/** @param allowed whether a request may have a session */
export async function sessionServer(folder, allowed = (_request, _id) => true) {
  await mkdir(folder, { recursive: true });
  const sessions = new Map();
  /** A session: its file, the commits by the number of their first write, and who may write. */
  async function load(id) {
    const file = join(folder, `${id}.jsonl`);
    const text = await readFile(file, "utf8").catch(() => "");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    // The server was stopped while it wrote: that commit was never confirmed.
    if (whole !== text) await truncate(file, Buffer.byteLength(whole));
    // Epochs rise also over a restart.
    const session = { file, text: whole, next: 1, commits: new Map(), last: Promise.resolve() };
    session.epoch = Date.now();
    for (const line of whole.split("\n").slice(1, -1)) note(session, line);
    return session;
  }

  function note(session, line) {
    const seqs = [JSON.parse(line)].flat().map(({ seq }) => seq);
    session.commits.set(seqs[0], line);
    session.next = seqs.at(-1) + 1;
  }

  function find(id) {
    if (!sessions.has(id)) sessions.set(id, load(id));
    return sessions.get(id);
  }

  /** Adds the lines of one commit; gives the status of the answer. */
  async function append(session, epoch, first, body) {
    const line = body.trimEnd().split("\n").at(-1);
    // Sent again, because the answer was lost: it is there already.
    if (session.commits.get(first) === line) return 204;
    if (epoch !== session.epoch || first < session.next) return 409;
    const file = await open(session.file, "a");
    try {
      await file.appendFile(body);
      await file.sync();
    } catch {
      await truncate(session.file, Buffer.byteLength(session.text));
      return 507;
    } finally {
      await file.close();
    }
    session.text += body;
    note(session, line);
    return 204;
  }

  async function answer(request, response) {
    const url = new URL(request.url, "http://server");
    const [, id, part] = url.pathname.match(/^\/sessions\/([\w-]{1,100})(\/epoch)?$/) ?? [];
    const reply = (status, body) => response.writeHead(status, cors).end(body);
    if (request.method === "OPTIONS") return reply(204);
    if (!id || !allowed(request, id)) return reply(id ? 403 : 404);
    const session = await find(id);
    if (request.method === "GET") return session.text ? reply(200, session.text) : reply(404);
    if (part) return reply(200, JSON.stringify({ epoch: ++session.epoch }));
    const parts = [];
    let size = 0;
    for await (const bytes of request) {
      size += bytes.length;
      if (size > LARGEST) return reply(413);
      parts.push(bytes);
    }
    const [epoch, first] = ["epoch", "first"].map((name) => Number(url.searchParams.get(name)));
    // One commit after the other.
    const done = session.last.then(() =>
      append(session, epoch, first, Buffer.concat(parts).toString("utf8")),
    );
    session.last = done.catch(() => {});
    reply(await done);
  }

  return createServer((request, response) => answer(request, response).catch(() => response.destroy()));
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = "sessions", port = "8787"] = argv;
  const server = await sessionServer(folder);
  server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/sessions/ID`));
}
