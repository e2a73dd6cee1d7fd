// Compaction that begins by itself, and what hooks have to say.
import { equal, ok, rejects } from "./check.mjs";
import { course, sessionOf, settings, small, talking, words } from "./talking.mjs";
import { call, roles, stored, textOf, told, toolOf, usageOf } from "./world.mjs";

export const compacting = {
  "a context that is full is compacted when the run is over, and the events are in order": async (host) => {
    const streamFn = talking(words(400));
    const { agent, session, store, events } = await sessionOf(host, streamFn);
    const idle = [];
    session.subscribe(({ type }) => {
      if (type === "compaction_end") idle.push(agent.state.isStreaming, session.isCompacting);
    });
    await session.prompt(words(300));
    equal(course(events), "");
    await session.prompt(words(300));
    await session.prompt(words(40));
    equal(course(events), "compaction_start summary_delta +compaction compaction_end");
    equal(idle, [false, false]);
    const { reason, result, aborted, willRetry } = events.at(-1);
    equal([reason, aborted, willRetry], ["threshold", false, false]);
    ok(result.tokensBefore > 1500 && result.estimatedTokensAfter < 1000, JSON.stringify(result));
    equal(result.summary.split("\n")[0], "The summary.");
    ok((await stored(store)).endsWith("compaction"), "stored");
    equal(roles(agent.state.messages), "system compactionSummary assistant");
    equal(session.contextUsage(), { tokens: null, window: 2000, percent: null });
    await session.prompt("And?");
    const sent = streamFn.requests.at(-1).messages;
    equal(roles(sent), "system user assistant user");
    ok(textOf(sent[1]).includes("<summary>\nThe summary."), "the summary is sent as a user message");
    // Nothing was deleted.
    equal((await store.stats()).messageCount, 9);
  },

  "between two turns of a run, and the run goes on": async (host) => {
    let turns = 0;
    const streamFn = talking(() => (++turns < 5 ? [call(`c${turns}`, "look")] : "Done."));
    const look = toolOf("look", () => words(450));
    const { agent, session, events } = await sessionOf(host, streamFn, { state: { tools: [look] } });
    await agent.prompt("Look.");
    equal(agent.state.messages.at(-1).content[0].text, "Done.");
    ok(course(events).startsWith("compaction_start summary_delta"), course(events));
    ok(streamFn.summaries().length >= 1, "a summary was asked for");
    for (const { messages } of streamFn.requests) {
      const calls = new Set(
        messages.flatMap(({ role, content }) =>
          role === "assistant" ? content.filter(({ type }) => type === "toolCall").map(({ id }) => id) : [],
        ),
      );
      for (const { role, toolCallId } of messages)
        if (role === "toolResult") ok(calls.has(toolCallId), toolCallId);
    }
    equal(session.isBusy, false);
  },

  "before a prompt, when the model has become smaller": async (host) => {
    const streamFn = talking(words(400), "The summary.", { ...small, contextWindow: 100_000 });
    const { agent, events } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 4; turn++) await agent.prompt(words(300));
    equal(course(events), "");
    agent.state.model = small;
    const order = [];
    agent.subscribe(({ type, message }) => {
      if (type === "message_start") order.push(message.role);
    });
    await agent.prompt("Smaller?");
    equal(course(events), "compaction_start summary_delta +compaction compaction_end");
    equal(order, ["user", "assistant"]);
  },

  "B106: of summaries that are needed, one is asked for at a time": async (host) => {
    const streamFn = talking(words(900));
    const { session, events } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 4; turn++) await session.prompt(words(300));
    ok(
      events.some(({ type }) => type === "compaction_end"),
      "compacted",
    );
    ok(streamFn.summaries().length >= 2, "the cut went through a turn");
    equal(streamFn.most, 1);
  },

  "B107: what was counted before a compaction does not begin another": async (host) => {
    const streamFn = talking(() => ({
      ...{ stopReason: "stop", content: [{ type: "text", text: words(300) }] },
      usage: usageOf(1900, 10),
    }));
    const { agent, session, events } = await sessionOf(host, streamFn);
    await session.prompt(words(300));
    await session.prompt(words(300));
    const before = events.filter(({ type }) => type === "compaction_start").length;
    ok(before > 0, "compacted");
    const held = streamFn.summaries().length;
    agent.streamFunction = talking("Short.");
    await session.prompt("y");
    equal(events.filter(({ type }) => type === "compaction_start").length, before);
    equal(streamFn.summaries().length, held);
    ok(session.contextUsage().tokens < 1500, "by estimate");
  },

  "hooks cancel, bring a summary, and are told": async (host) => {
    const said = [];
    let answer;
    const hooks = {
      beforeCompaction: ({ reason, preparation, branchEntries }) => {
        said.push(["before", reason, preparation.messagesToSummarize.length > 0, branchEntries.length > 0]);
        return answer;
      },
      afterCompaction: ({ entry, fromHook, reason }) => said.push(["after", entry.type, fromHook, reason]),
      compactionFailed: ({ aborted, errorMessage }) => said.push(["failed", aborted, errorMessage]),
    };
    const streamFn = talking(words(200));
    const { session, events } = await sessionOf(host, streamFn, { hooks });
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    answer = { cancel: true };
    await rejects(session.compact(), "aborted");
    answer = { compaction: { summary: "By hand.", details: { own: 1 } } };
    await session.compact();
    equal(said, [
      ["before", "manual", true, true],
      ["failed", true, undefined],
      ["before", "manual", true, true],
      ["after", "compaction", true, "manual"],
    ]);
    equal(streamFn.summaries().length, 0);
    const entry = session.tree.getEntries().at(-1);
    equal([entry.summary, entry.fromHook, entry.details], ["By hand.", true, { own: 1 }]);
    hooks.beforeCompaction = () => {
      throw new Error("oops");
    };
    await session.prompt(words(200));
    await session.prompt(words(200));
    await session.compact();
    ok(
      events.some(({ type, error }) => type === "warning" && error.message.includes("beforeCompaction")),
      "told",
    );
    equal(session.tree.getEntries().at(-1).summary.split("\n")[0], "The summary.");
  },

  "sizes differ by model, and a reserve above half of the window is half": async (host) => {
    const streamFn = talking(words(100));
    const compaction = { reserveTokens: 1, modelOverrides: { "scripted/m": { reserveTokens: 1500 } } };
    const { session, events } = await sessionOf(host, streamFn, { compaction });
    for (let turn = 0; turn < 6; turn++) await session.prompt(words(100));
    const warnings = events.filter(({ type }) => type === "warning");
    equal(warnings.length, 1);
    ok(warnings[0].error.message.includes("half"), warnings[0].error.message);
    const start = events.find(({ type }) => type === "compaction_end");
    ok(start.result.tokensBefore > 1000 && start.result.tokensBefore < 1500, JSON.stringify(start));
    const { agent, store } = session;
    const refused = { agent, store, compaction: { keepRecentTokens: -1 } };
    const error = await rejects((async () => new host.session.Session(refused))(), "invalid_request");
    ok(error.message.includes("keepRecentTokens"), error.message);
  },

  "hooks of the application see the compacted context, and have the last word": async (host) => {
    const seen = [];
    const prepareRequest = ({ context }) => {
      seen.push(roles(context.messages));
    };
    const streamFn = talking(words(400));
    const { agent } = await sessionOf(host, streamFn, { agent: { prepareRequest } });
    for (let turn = 0; turn < 3; turn++) await agent.prompt(words(300));
    await agent.prompt("And?");
    ok(seen.at(-1).startsWith("system compactionSummary assistant user"), seen.at(-1));
    equal(agent.prepareRequest, prepareRequest);
  },

  "with pi 0.85 between two turns as well": async (host) => {
    if (!host.pi085) return;
    const { Session, MemoryStore } = host.session;
    let turns = 0;
    const streamFn = talking(() => (++turns < 5 ? [call(`c${turns}`, "look")] : "Done."));
    // Its requests have a prompt of their own; a summary is one without tools.
    const isLate = ({ context }) => context.tools === undefined;
    const look = toolOf("look", () => words(450));
    const agent = new host.pi085.Agent({
      streamFn: (asked, context, options) => {
        const { systemPrompt, ...rest } = context;
        return streamFn(asked, isLate({ context }) ? context : rest, options);
      },
      initialState: { model: small, systemPrompt: "Be brief.", tools: [look] },
    });
    const session = await Session.open({ agent, store: new MemoryStore(), compaction: settings });
    const events = told(session);
    await agent.prompt("Look.");
    ok(course(events).startsWith("compaction_start"), course(events));
    equal(agent.state.messages.at(-1).content[0].text, "Done.");
  },
};
