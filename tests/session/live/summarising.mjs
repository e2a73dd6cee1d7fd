// Where summaries come from.
import { equal, ok, rejects } from "./check.mjs";
import { course, sessionOf, settings, small, talking, words } from "./talking.mjs";
import { call, roles, stored, textOf, toolOf } from "./world.mjs";

export const summarising = {
  "another model may summarise, and another stream function": async (host) => {
    const chat = talking(words(200));
    const other = talking("never", "Other.", { ...small, id: "other" });
    const compaction = { ...settings, model: other.model, streamFn: other, options: { apiKey: "key" } };
    const { session, store } = await sessionOf(host, chat, { compaction });
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const { summary } = await session.compact();
    equal(summary.split("\n")[0], "Other.");
    equal(chat.summaries().length, 0);
    equal([other.requests[0].model.id, other.requests[0].options.apiKey], ["other", "key"]);
    equal(other.requests[0].options.cacheRetention, "none");
    ok(
      (await store.scanUsage()).some(({ kind }) => kind === "compaction"),
      "its usage is counted",
    );
  },

  "a request for a summary that fails in passing is made again": async (host) => {
    let attempts = 0;
    const streamFn = talking(words(200), () =>
      ++attempts < 3 ? { stopReason: "error", errorMessage: "503 overloaded", content: [] } : "The summary.",
    );
    const agent = { maxRetries: 2, maxRetryDelayMs: 1 };
    const { session, events } = await sessionOf(host, streamFn, { agent });
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    await session.compact();
    equal(
      course(events),
      "compaction_start summary_retry_scheduled summary_retry_start summary_retry_scheduled summary_retry_start summary_delta summary_retry_end +compaction compaction_end",
    );
    const [first] = events.filter(({ type }) => type === "summary_retry_scheduled");
    equal([first.attempt, first.max, first.delayMs, first.error], [1, 2, 1, "503 overloaded"]);
  },

  "keys that a stream function quotes are told and stored nowhere": async (host) => {
    const key = "my secret key/1";
    const failed = ({ options }) => ({
      stopReason: "error",
      errorMessage: `401 bad key ${options.apiKey}`,
      content: [],
    });
    const thrown = ({ options }) => {
      throw new Error(`401 bad key ${options.apiKey}`);
    };
    for (const summary of [failed, thrown]) {
      let answers = 0;
      const streamFn = talking((request) => (++answers === 3 ? failed(request) : words(200)), summary);
      const { session, events, store } = await sessionOf(host, streamFn, { agent: { getApiKey: () => key } });
      for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
      const error = await session.compact().catch((error) => error);
      ok(error.message.includes("401 bad key [redacted]"), error.message);
      const all = JSON.stringify([events, await store.scanEntries(), session.tree.export()]);
      ok(all.includes("401 bad key [redacted]") && !all.includes(key), all);
    }
    // What stands for no key is none.
    const streamFn = talking({ stopReason: "error", errorMessage: "no access", content: [] });
    const { session } = await sessionOf(host, streamFn, { agent: { getApiKey: () => "no" } });
    await session.prompt("Hello.");
    ok(session.tree.export().includes("no access"), "the words of the failure");
  },

  "a summary that is longer than what it stands for is refused": async (host) => {
    const streamFn = talking(words(100), words(3000));
    const { agent, session, store } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 4; turn++) await session.prompt(words(100));
    const before = [await stored(store), roles(agent.state.messages)];
    const error = await rejects(session.compact(), "invalid_request");
    equal(error.refusal, "failed");
    equal([await stored(store), roles(agent.state.messages)], before);
  },

  "files that tools say they touch end the summary": async (host) => {
    let turns = 0;
    const streamFn = talking(() =>
      ++turns % 2 ? [call(`c${turns}`, "look", { path: `f${turns}` })] : words(200),
    );
    const look = toolOf("look", async () => "ok", { fileAccess: "read" });
    const { session } = await sessionOf(host, streamFn, { state: { tools: [look] } });
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const { summary } = await session.compact();
    ok(summary.includes("<read-files>\nf1"), summary);
  },

  "a conversation that is too long for the summariser is summarised in parts": async (host) => {
    const chat = talking(words(300), "never", { ...small, contextWindow: 100_000 });
    let part = 0;
    const tiny = talking("never", () => `Part ${++part}.`, { ...small, id: "tiny" });
    const compaction = { keepRecentTokens: 100, model: tiny.model, streamFn: tiny };
    const { session } = await sessionOf(host, chat, { compaction });
    for (let turn = 0; turn < 5; turn++) await session.prompt(words(300));
    const { summary } = await session.compact();
    ok(part > 2, `${part} parts`);
    equal(summary.split("\n")[0].startsWith("Part "), true);
    for (const { context, options } of tiny.requests) {
      const size = Math.ceil((context.systemPrompt.length + textOf(context.messages[0]).length) / 4);
      ok(size + options.maxTokens <= 2000, `${size} and ${options.maxTokens}`);
    }
    ok(
      textOf(tiny.requests[1].messages[0]).includes("<previous-summary>\nPart 1."),
      "each goes on from the last",
    );
  },
};
