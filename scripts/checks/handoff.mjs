// One conversation through every ordered pair of families: thinking, signatures, images, parallel calls, failed tools,
// calls without a result and an aborted answer. Every request on the way is judged by ../shared/wire, where it is laid
// out, and here: what only its author may see goes back to its author and to nobody else.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { streamProxy, streamSimple } from "../../npm/dist/index.js";
import { families } from "../../tests/handoff/families.mjs";
import { Report, root, sharedDir } from "../common.mjs";

const shared = sharedDir();
const { validateRequest } = shared
  ? await import(pathToFileURL(join(shared, "wire/validate-request.mjs")))
  : { validateRequest: () => [] };
if (!shared) console.log("no ../shared here: requests are judged by our own rules only");

const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const user = (content) => ({ role: "user", content, timestamp: 1 });
const result = ({ id, name }, content, isError = false) => ({
  ...{ role: "toolResult", toolCallId: id, toolName: name, content, isError, timestamp: 1 },
});
const tools = ["read", "now"].map((name) => ({
  ...{ name, description: `Tool ${name}` },
  parameters: { type: "object", properties: { path: { type: "string" } } },
}));
const call = (name, args) => ({ kind: "call", name, args });
const says = (value) => ({ kind: "text", text: value });

/** A body that stays open behind what is in it. */
const openBody = (value) =>
  new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(value)) });

class Conversation {
  context = { systemPrompt: "Be brief.", tools, messages: [] };
  turn = 0;
  problems = [];

  /** Asks a family, which answers with these blocks; `ending` undefined: the answer is aborted in its last call. */
  async ask(family, model, blocks, ending) {
    this.turn++;
    const body = family.answer(blocks, this.turn, ending);
    const abort = new AbortController();
    let sent;
    const fetch = async (url, init) => {
      sent = { url: String(url), body: JSON.parse(new TextDecoder().decode(init.body)) };
      return new Response(ending ? body : openBody(body), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const options = { fetch, signal: abort.signal, reasoning: "medium" };
    const stream =
      family.name === "pi-proxy"
        ? streamProxy(model, this.context, { ...options, authToken: "token", proxyUrl: model.baseUrl })
        : streamSimple(model, this.context, { ...options, apiKey: "test-key" });
    let deltas = 0;
    // Some families send a call whole: one delta, and its end.
    for await (const { type } of stream)
      if (!ending && (type === "toolcall_end" || (type === "toolcall_delta" && ++deltas === 2)))
        abort.abort();
    const message = await stream.result();
    const expected = ending ?? "aborted";
    if (message.stopReason !== expected || sent === undefined)
      throw new Error(`${family.name} ended with ${message.stopReason}: ${message.errorMessage}`);
    this.judge(family, model, sent);
    this.context.messages.push(message);
    return message.content.filter((block) => block.type === "toolCall");
  }

  judge(family, model, { url, body }) {
    const where = `request ${this.turn} to ${family.name}`;
    for (const problem of validateRequest(family.name, body, { model, url }))
      this.problems.push(`${where}: ${problem}`);
    if (family.passes) return;
    const whole = JSON.stringify(body);
    for (const message of this.context.messages) {
      if (message.role !== "assistant") continue;
      const own = message.stopReason !== "aborted" && isBy(message, model);
      for (const { thinking } of message.content)
        if (thinking !== undefined && whole.includes(thinking) !== own)
          this.problems.push(`${where}: ${own ? "lacks" : "holds"} ${thinking}`);
    }
    if (!model.input.includes("image") && whole.includes(image.data))
      this.problems.push(`${where}: holds an image`);
  }
}

/** Whether a model made a message. */
const isBy = (message, { api, provider, id }) =>
  message.api === api && message.provider === provider && message.model === id;

/** The conversation: it begins with one family, goes on with the other, comes back and ends with the other. */
async function play(from, to, input) {
  const talk = new Conversation();
  const push = (...messages) => talk.context.messages.push(...messages);
  // Within a family it goes to another model.
  const first = { ...from.model, input };
  const second = { ...to.model, input, id: from === to ? `${to.model.id}-2` : to.model.id };
  // What goes to the proxy stays as it is, half characters too.
  const half = [from, to].some(({ name }) => name === "pi-proxy") ? "" : "\ude00";
  push(user([text(`Look ${half} at this`), image]));
  const thinks = ({ id }) => ({ kind: "thinking", text: `thought ${talk.turn} of ${id}` });
  const blocks = [
    thinks(first),
    says("Reading \ud83d\ude00."),
    call("read", { path: 'a\\"b' }),
    call("read", { path: "ü" }),
  ];
  const [one, two] = await talk.ask(from, first, blocks, "toolUse");
  push(result(two, [text("ENOENT")], true), result(one, [text("alpha"), image]));
  await talk.ask(from, first, [thinks(first), says("Now"), call("now", { path: "cut short" })]);
  push(user("Go on"));
  const [three, , five] = await talk.ask(
    to,
    second,
    [thinks(second), call("now", {}), call("read", { path: "x" }), call("now", {})],
    "toolUse",
  );
  // The middle one has no result; a failed one has an image.
  push(result(five, [image], true), result(three, []), user([text(""), text("Never mind")]));
  await talk.ask(from, first, [thinks(first), says("Well.")], "stop");
  push(user([image]));
  const [six] = await talk.ask(
    to,
    second,
    [thinks(second), says("Hm."), call("read", { path: "y" })],
    "toolUse",
  );
  push(result(six, [text(" ")]));
  await talk.ask(to, second, [says("Done.")], "stop");
  push(user("Thanks"));
  await talk.ask(from, first, [says("Bye.")], "stop");
  if (talk.problems.length > 0) throw new Error(talk.problems.join("\n"));
}

const report = new Report();
/** Families whose wires are built: those with fixtures of our own. */
const known = families.filter(({ name }) => existsSync(join(root, "fixtures/wires", name)));
const counts = new Map(known.map(({ name }) => [name, 0]));
for (const from of known) {
  for (const to of known) {
    const pair = `${from.name} -> ${to.name}`;
    const good = await report.attempt(pair, async () => {
      await play(from, to, ["text", "image"]);
      await play(from, to, ["text"]);
    });
    if (good) for (const name of new Set([from.name, to.name])) counts.set(name, counts.get(name) + 1);
  }
}
for (const [name, passed] of counts) console.log(`${name}: ${passed} of ${2 * known.length - 1} pairs`);
console.log(
  `figures: hand-off pairs: ${report.passed} of ${known.length ** 2}, of ${known.map(({ name }) => name).join(", ")}`,
);
report.finish();
