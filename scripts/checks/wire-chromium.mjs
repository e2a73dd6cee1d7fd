// Samples of every wire through a real network stack: a page with a strict policy asks the replay server of ../shared,
// which sends them late, in odd pieces, compressed, cut, and over connections that break or fall silent. What comes out
// must be what Node makes of the same bytes, which the stage `wire` judges.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, serve, strictCsp } from "../browser.mjs";
import { Report, root, sharedDir } from "../common.mjs";

/** What is played of each family. */
const samples = {
  "openai-completions": ["openai-parallel-tools", "deepseek-reasoning"],
  "openai-responses": ["tool-single", "reasoning-summary"],
  "anthropic-messages": ["tool-single", "thinking-text"],
  "google-generative-ai": ["tool-single-gemini3", "thinking"],
  "mistral-conversations": ["tool-incremental", "thinking"],
  "pi-messages": ["own-all-blocks"],
  "pi-proxy": ["all-blocks", "parallel-tools"],
};
/** Ways in which a whole answer comes. */
const modes = [
  "whole",
  "line+d1+c40",
  "byte",
  "rand-42+d2+c40",
  "split-7+gzip",
  "whole+gzip+len",
  "event+d3+c20",
];
/** Above this a play byte by byte says nothing new. */
const BYTE_MOST = 20_000;

const script = `
import { streamProxy, streamSimple } from "/dist/index.js";
/** Plays one answer; abort: at the first delta, or when a while has passed without one. */
globalThis.playWire = async ({ model, context, proxied, abort }) => {
  const controller = new AbortController();
  const { signal } = controller;
  const stream = proxied
    ? streamProxy(model, context, { authToken: "test-token", proxyUrl: model.baseUrl, signal })
    : streamSimple(model, context, { apiKey: "test-key", signal });
  if (abort) setTimeout(() => controller.abort(), 300);
  const types = [];
  for await (const { type, contentIndex } of stream) {
    if (types.at(-1) !== type + " " + contentIndex) types.push(type + " " + contentIndex);
    if (abort && type.endsWith("_delta")) controller.abort();
  }
  return { types, message: await stream.result() };
};
`;

/** Whether one answer is the beginning of another. */
const begins = (some, whole) =>
  some.content.every((block, index) => {
    const { type, text, thinking, name } = whole.content[index] ?? {};
    if (block.type !== type || block.name !== name) return false;
    return (text ?? "").startsWith(block.text ?? "") && (thinking ?? "").startsWith(block.thinking ?? "");
  });
const code = ({ diagnostics }) => diagnostics?.[0].code;

const report = new Report();
const wire = sharedDir() && join(sharedDir(), "wire");
if (wire) await play();
else {
  console.log("no ../shared here: nothing to play");
  report.check(true, "nothing to play");
}
report.finish();

async function play() {
  const load = (file) => import(pathToFileURL(file).href);
  const replay = await load(join(wire, "replay.mjs"));
  const { streamProxy, streamSimple } = await load(join(root, "npm/dist/index.js"));
  const server = await replay.startReplayServer();
  const gone = await replay.startReplayServer();
  await gone.close();
  const page = await serve(
    {
      "/": {
        type: ".html",
        body: '<!doctype html><title>wires</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
      },
      "/page.js": { type: ".js", body: script },
      "/dist/": join(root, "npm/dist"),
    },
    { "content-security-policy": `${strictCsp}; img-src data:; connect-src ${server.base} ${gone.base}` },
  );
  const browser = await launch();
  try {
    const opened = await open(browser, page.url);
    await opened.page.waitForFunction(() => globalThis.playWire, undefined, { timeout: 30_000 });
    const families = Object.keys(samples).filter((name) => existsSync(join(root, "fixtures/wires", name)));
    for (const family of families) {
      const before = report.passed;
      const run = { opened, family, server, gone, replay, streamProxy, streamSimple };
      for (const name of samples[family]) await playSample(run, server.index.get(`${family}/${name}`));
      console.log(`figures: ${family} in Chromium: ${report.passed - before} plays`);
    }
    // Chromium reports every request that fails by itself.
    const problems = opened.problems.filter((line) => !/request failed|Failed to load resource/.test(line));
    report.check(problems.length === 0, "no policy violation, no uncaught error", problems.join("\n"));
    await report.attempt("what the policy of the page stops is told as that", () =>
      playStopped(opened, server, replay),
    );
  } finally {
    await browser.close();
    await page.close();
    await server.close();
  }
}

async function playStopped(opened, server, replay) {
  const [fixture] = server.index.values();
  const model = { ...replay.referenceModel(fixture, "http://127.0.0.1:1/v1"), api: "openai-completions" };
  const given = { model, context: replay.REFERENCE_CONTEXT, proxied: false, abort: false };
  const { message } = await opened.page.evaluate((it) => globalThis.playWire(it), given);
  const said = message.errorMessage;
  if (!said.endsWith("Security Policy does not allow it: add http://127.0.0.1:1 to connect-src."))
    throw new Error(said);
}

async function playSample({ opened, family, server, gone, replay, streamProxy, streamSimple }, fixture) {
  const proxied = family === "pi-proxy";
  const context = replay.REFERENCE_CONTEXT;
  const modelFor = (mode, base = server.base) => {
    const url = `${base}/f/${mode}/${family}/${fixture.name}`;
    return replay.referenceModel(fixture, family === "google-generative-ai" ? `${url}/v1beta` : url);
  };
  const inPage = (model, abort = false) =>
    opened.page.evaluate((given) => globalThis.playWire(given), { model, context, proxied, abort });
  const judge = (mode, verdict) =>
    report.attempt(`${family}/${fixture.name} ${mode}`, async () => {
      const problem = await verdict();
      if (problem) throw new Error(problem);
    });

  const model = modelFor("whole");
  const stream = proxied
    ? streamProxy(model, context, { authToken: "test-token", proxyUrl: model.baseUrl })
    : streamSimple(model, context, { apiKey: "test-key" });
  const whole = await stream.result();
  const wanted = JSON.stringify(replay.normaliseMessage(whole));
  for (const mode of modes) {
    if (mode === "byte" && fixture.bytes > BYTE_MOST) continue;
    await judge(mode, async () => {
      const { message, types } = await inPage(modelFor(mode));
      const got = JSON.stringify(replay.normaliseMessage(message));
      if (got !== wanted) return `got ${got}\nnot ${wanted}`;
      return types.at(-1).startsWith("done") ? "" : `the last event is ${types.at(-1)}`;
    });
  }

  const partly = Math.floor(fixture.bytes * 0.6);
  const failed = ({ message, types }, codes) => {
    if (!codes.includes(code(message))) return `${code(message)}: ${message.errorMessage}`;
    if (!types.at(-1).startsWith("error")) return `the last event is ${types.at(-1)}`;
    const kept = message.content.length > 0 || types.length <= 2;
    return kept && begins(message, whole) ? "" : `kept ${JSON.stringify(message.content)}`;
  };
  await judge(`cut@${partly}`, async () =>
    failed(await inPage(modelFor(`rand-1+cut@${partly}`)), ["stream_truncated"]),
  );
  await judge(`reset@${partly}`, async () =>
    failed(await inPage(modelFor(`rand-1+d1+c30+reset@${partly}`)), ["network"]),
  );
  await judge(`hang@${partly}, abort`, async () => {
    const problem = failed(await inPage(modelFor(`rand-1+hang@${partly}`), true), ["aborted"]);
    if (problem) return problem;
    // Mostly at once; but Chromium may first try for 5 seconds to read the rest, to keep the connection for another
    // request (its HttpResponseBodyDrainer).
    for (let turn = 0; turn < 1000 && server.openAnswers() > 0; turn++)
      await new Promise((next) => setTimeout(next, 10));
    return server.openAnswers() === 0 ? "" : "the connection stays open";
  });
  await judge("status=503", async () => failed(await inPage(modelFor("whole+status=503")), ["http"]));
  await judge("nobody there", async () => {
    const { message } = await inPage(modelFor("whole", gone.base));
    const said = message.errorMessage;
    if (code(message) !== "network") return `${code(message)}: ${said}`;
    return said.includes(new URL(gone.base).host) && /CORS/.test(said) ? "" : said;
  });
}
