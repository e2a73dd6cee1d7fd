// A request that was too long, or an answer that was cut.
import { equal, ok } from "./check.mjs";
import { course, overflowed, sessionOf, small, talking, words } from "./talking.mjs";
import { agentOf, roles, stored, textOf, usageOf } from "./world.mjs";

export const overflowing = {
  "a request that is too long is made again, once": async (host) => {
    let answers = 0;
    const streamFn = talking(() => (++answers === 3 ? overflowed : words(100)));
    const { agent, store, events } = await sessionOf(host, streamFn);
    await agent.prompt(words(400));
    await agent.prompt(words(300));
    const ends = [];
    agent.subscribe(({ type }) => {
      if (type === "agent_end") ends.push(type);
    });
    await agent.prompt("Third.");
    equal(course(events), "+context_edit compaction_start summary_delta +compaction compaction_end");
    equal([events.at(-1).type === "entry_added", agent.state.errorMessage], [true, undefined]);
    const end = events.find(({ type }) => type === "compaction_end");
    equal([end.reason, end.willRetry], ["overflow", true]);
    equal(agent.state.messages.at(-1).content[0].text, words(100));
    const again = streamFn.requests.at(-1).messages;
    equal(again.at(-1).role, "user");
    equal(textOf(again.at(-1)), "Third.");
    equal(ends.length, 2);
    ok((await stored(store)).includes("context_edit compaction assistant"), await stored(store));
  },

  "a request that is too long twice ends with one error": async (host) => {
    let answers = 0;
    const streamFn = talking(() => (++answers >= 3 ? overflowed : words(100)));
    const { agent, events } = await sessionOf(host, streamFn);
    await agent.prompt(words(400));
    await agent.prompt(words(300));
    const before = streamFn.requests.length;
    await agent.prompt("Third.");
    equal(streamFn.requests.length - before, 3, "the request, a summary, the request");
    const ends = events.filter(({ type }) => type === "compaction_end");
    equal(
      ends.map(({ errorMessage }) => Boolean(errorMessage)),
      [false, true],
    );
    equal(events.filter(({ type }) => type === "compaction_start").length, 2);
    ok(agent.state.errorMessage.includes("too long"), "the run failed");
  },

  "where the recovery fails, the failed answer stays hidden and nothing is made again": async (host) => {
    let answers = 0;
    const streamFn = talking(
      () => (++answers === 3 ? overflowed : words(100)),
      () => ({ stopReason: "error", errorMessage: "bad request", content: [] }),
    );
    const { agent, events, store } = await sessionOf(host, streamFn);
    await agent.prompt(words(400));
    await agent.prompt(words(300));
    await agent.prompt("Third.");
    const end = events.find(({ type }) => type === "compaction_end");
    equal([end.willRetry, end.aborted], [false, false]);
    ok(end.errorMessage.startsWith("Context overflow recovery failed: "), end.errorMessage);
    ok(!(await stored(store)).includes("compaction"), "no entry");
    equal(roles(agent.state.messages).split(" ").at(-1), "user");
    equal(answers, 3);
  },

  "where the recovery fails, an answer that was cut stays to be seen": async (host) => {
    let answers = 0;
    const cut = {
      stopReason: "length",
      usage: usageOf(1900, 100),
      content: [{ type: "text", text: "Half." }],
    };
    const streamFn = talking(
      () => (++answers === 3 ? cut : words(100)),
      () => ({ stopReason: "error", errorMessage: "bad request", content: [] }),
    );
    const { agent, session, events, store } = await sessionOf(host, streamFn);
    await agent.prompt(words(400));
    await agent.prompt(words(300));
    await session.prompt("Third.");
    ok(events.find(({ type }) => type === "compaction_end")?.errorMessage, "the recovery failed");
    const last = agent.state.messages.at(-1);
    equal([last.role, last.content[0].text, answers], ["assistant", "Half.", 3]);
    equal(session.entryOf(last).message.content[0].text, "Half.");
    await session.dispose({ keepStore: true });
    const later = agentOf(host, streamFn, { state: { model: small } });
    await host.session.Session.open({ agent: later, store, compaction: { enabled: false } });
    equal(textOf(later.state.messages.at(-1)), "Half.");
  },

  "an answer that is as long as a stream function lets it be is no overflow": async (host) => {
    const streamFn = talking(() => ({
      ...{ stopReason: "length", content: [{ type: "text", text: words(50) }] },
      usage: usageOf(300, 50),
    }));
    const { agent, events } = await sessionOf(host, streamFn);
    await agent.prompt(words(200));
    equal([course(events), streamFn.requests.length], ["", 1]);
  },

  "B109: a rate limit is no overflow, and the words of other providers are": async (host) => {
    for (const [text, compacts] of [
      ["429 rate limit: too many tokens per minute", false],
      ["400 invalid tool schema", false],
      ["400 This model's maximum context length (8192) is exceeded", true],
      ["413 request too large", true],
    ]) {
      let answers = 0;
      const failed = { stopReason: "error", errorMessage: text, content: [] };
      const streamFn = talking(() => (++answers === 3 ? failed : words(100)));
      const { agent, events } = await sessionOf(host, streamFn);
      await agent.prompt(words(400));
      await agent.prompt(words(300));
      await agent.prompt("Third.");
      equal(course(events).includes("compaction_end"), compacts, text);
    }
  },
};
