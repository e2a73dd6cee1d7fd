// Compaction of a session that goes on.
import { equal, ok, rejects } from "./check.mjs";
import { agentOf, call, gate, model, roles, stored, textOf, told, toolOf, usageOf } from "./world.mjs";

/** A word of so many tokens. */
const words = (tokens) => "word".repeat(tokens);
const small = { ...model, contextWindow: 2000, maxTokens: 200 };
const settings = { reserveTokens: 500, keepRecentTokens: 400 };
const isSummary = ({ context }) => context.systemPrompt !== undefined;

/** Answers conversations with `answer`, and requests for summaries with `summary`; both may be functions. */
function talking(answer, summary = "The summary.", m = small) {
  const requests = [];
  let inFlight = 0;
  const streamFn = async (asked, context, options) => {
    const request = { model: asked, messages: [...context.messages], context, options };
    requests.push(request);
    streamFn.most = Math.max(streamFn.most, ++inFlight);
    let content = isSummary(request) ? summary : answer;
    if (typeof content === "function") content = await content(request);
    const base = { role: "assistant", api: "scripted", provider: asked.provider, model: asked.id };
    const blocks =
      typeof content === "string" ? [{ type: "text", text: content }] : (content.content ?? content);
    const calls = blocks.some?.(({ type }) => type === "toolCall");
    const message = {
      ...{ ...base, content: blocks, usage: usageOf(0, 0), timestamp: Date.now() },
      stopReason: calls ? "toolUse" : "stop",
      ...(typeof content === "string" || Array.isArray(content) ? {} : content),
    };
    if (options.signal?.aborted) Object.assign(message, { stopReason: "aborted", errorMessage: "aborted" });
    const failed = ["error", "aborted"].includes(message.stopReason);
    const partial = { ...message, stopReason: "pending" };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial };
        for (const [contentIndex, block] of message.content.entries())
          if (block.type === "text") {
            yield { type: "text_start", contentIndex, partial };
            yield { type: "text_delta", contentIndex, delta: block.text, partial };
            yield { type: "text_end", contentIndex, content: block.text, partial };
          }
        inFlight--;
        yield failed
          ? { type: "error", reason: message.stopReason, error: message }
          : { type: "done", reason: message.stopReason, message };
      },
      result: async () => message,
    };
  };
  return Object.assign(streamFn, {
    requests,
    model: m,
    most: 0,
    summaries: () => requests.filter(isSummary),
  });
}

async function sessionOf(
  host,
  streamFn,
  { state = {}, compaction = settings, agent: options = {}, ...more } = {},
) {
  const { Session, MemoryStore } = host.session;
  const store = new MemoryStore();
  const agent = agentOf(host, streamFn, { state: { model: streamFn.model, ...state }, ...options });
  const session = await Session.open({ agent, store, compaction, ...more });
  return { agent, store, session, events: told(session) };
}

/** The events of compactions, by type. */
const course = (events) =>
  events
    .map(({ type, entry }) => (type === "entry_added" ? `+${entry.type}` : type))
    .filter((type) => /compaction|summary|edit/.test(type))
    .filter((type, place, all) => type !== "summary_delta" || type !== all[place - 1])
    .join(" ");

const overflowed = {
  stopReason: "error",
  errorMessage: "prompt is too long: 9000 tokens > 2000 maximum",
  content: [],
};

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

  "when asked to, with instructions, and two in a row are refused": async (host) => {
    const streamFn = talking(words(200));
    const { agent, session, events } = await sessionOf(host, streamFn);
    const early = await rejects(session.compact(), "invalid_request");
    equal([early.refusal, early.message], ["nothing_to_compact", "Nothing to compact (session too small)"]);
    equal(course(events), "compaction_start compaction_end");
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const { summary, tokensBefore } = await session.compact("the colours");
    equal(summary.split("\n")[0], "The summary.");
    ok(tokensBefore > 1000, String(tokensBefore));
    ok(textOf(streamFn.requests.at(-1).messages[0]).includes("Additional focus: the colours"), "focus");
    equal(roles(agent.state.messages).startsWith("system compactionSummary"), true);
    const again = await rejects(session.compact(), "invalid_request");
    equal([again.refusal, again.message], ["already_compacted", "Already compacted"]);
    equal(events.at(-1).errorMessage, "Compaction failed: Already compacted");
  },

  "one that is asked for stops the run, and what is queued begins another": async (host) => {
    const held = gate();
    const arrived = gate();
    let answers = 0;
    const streamFn = talking(async ({ options }) => {
      if (++answers !== 4) return words(200);
      arrived.open();
      await Promise.race([
        held.passed,
        new Promise((resolve) => options.signal.addEventListener("abort", resolve)),
      ]);
      return "Late.";
    });
    const { agent, session, store } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const fourth = agent.prompt("Fourth.");
    await arrived.passed;
    const compacted = session.compact();
    agent.followUp({ role: "user", content: "Queued.", timestamp: 1 });
    await Promise.all([fourth, compacted]);
    await session.waitForIdle();
    ok((await stored(store)).endsWith("assistant compaction user assistant"), await stored(store));
    equal(agent.hasQueuedMessages(), false);
    held.open();
  },

  "a cancelled one leaves nothing behind": async (host) => {
    const arrived = gate();
    const streamFn = talking(words(200), async ({ options }) => {
      arrived.open();
      await new Promise((resolve) => options.signal.addEventListener("abort", resolve));
      return "Late.";
    });
    const { agent, session, store, events } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const before = [await stored(store), roles(agent.state.messages)];
    const compacted = session.compact();
    await arrived.passed;
    equal(session.isCompacting, true);
    await rejects(session.compact(), "busy");
    session.abortCompaction();
    const error = await rejects(compacted, "aborted");
    equal(error.refusal, "cancelled");
    equal([await stored(store), roles(agent.state.messages)], before);
    const { aborted, errorMessage, result } = events.at(-1);
    equal([aborted, errorMessage, result], [true, undefined, undefined]);
    await session.prompt("Goes on.");
  },

  "who cancels need not wait for a stream or a hook that does not listen": async (host) => {
    for (const name of ["stream", "key", "beforeCompaction", "afterCompaction", "compactionFailed"]) {
      const arrived = gate();
      const never = () => {
        arrived.open();
        return new Promise(() => {});
      };
      let failing = name === "compactionFailed";
      const hooks = name.includes("ompaction") ? { [name]: () => never() } : {};
      const summary = () => {
        if (name === "stream") return never();
        return failing ? { stopReason: "error", errorMessage: "bad request", content: [] } : "The summary.";
      };
      const streamFn = talking(words(200), summary);
      const { agent, session, store } = await sessionOf(host, streamFn, { hooks });
      for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
      if (name === "key") agent.getApiKey = never;
      const compacted = session.compact();
      await arrived.passed;
      session.abortCompaction();
      if (name === "afterCompaction") await compacted;
      else if (failing) await rejects(compacted, "protocol");
      else equal((await rejects(compacted, "aborted")).refusal, "cancelled", name);
      failing = false;
      equal(session.isCompacting, false);
      equal((await stored(store)).includes("compaction"), name === "afterCompaction", name);
      agent.getApiKey = undefined;
      await session.prompt("Goes on.");
      await session.dispose();
    }
  },

  "what is told of a compaction may send a prompt, and does not hang where a run waits": async (host) => {
    for (const asked of [true, false]) {
      let session;
      const codes = [];
      const hooks = {
        afterCompaction: () =>
          session.prompt("From the hook.").then(
            () => codes.push("sent"),
            ({ code }) => codes.push(code),
          ),
      };
      const made = await sessionOf(host, talking(words(100)), { hooks });
      session = made.session;
      await session.prompt(words(400));
      await session.prompt(words(300));
      if (asked) await session.compact();
      else {
        made.agent.state.model = { ...small, contextWindow: 1000 };
        await session.prompt("Once more.");
      }
      equal(codes, [asked ? "sent" : "busy"]);
    }
  },

  "a tool that waits for a compaction is let go by who cancels": async (host) => {
    let session;
    const arrived = gate();
    const tool = {
      ...toolOf("look"),
      execute: async () => {
        const compacted = session.compact();
        arrived.open();
        await compacted;
        return { content: [] };
      },
    };
    let answers = 0;
    const answer = () => (++answers === 3 ? [call("1", "look")] : words(100));
    const made = await sessionOf(host, talking(answer), { state: { tools: [tool] } });
    session = made.session;
    await session.prompt(words(300));
    await session.prompt(words(300));
    const prompted = session.prompt("Look.");
    await arrived.passed;
    while (!session.isCompacting) await undefined;
    session.abortCompaction();
    await prompted;
    equal(session.isBusy, false);
  },

  "a tool, a listener, a hook or a stream function may wait for a compaction, which stops the run": async (
    host,
  ) => {
    const waits = async (place) => {
      let session;
      let waiting;
      let armed = false;
      const compacts = async (here) => {
        if (here !== place || !armed) return;
        armed = false;
        waiting = session.compact();
        await waiting;
      };
      let answers = 0;
      const tool = {
        ...toolOf("look"),
        execute: async () => {
          await compacts("tool");
          return { content: [{ type: "text", text: "Seen." }] };
        },
      };
      const streamFn = talking(async () => {
        await compacts("stream");
        return ++answers === 3 && place !== "hook" ? [call("1", "look")] : words(100);
      });
      const transformContext = async (messages) => {
        await compacts("hook");
        return messages;
      };
      const made = await sessionOf(host, streamFn, { state: { tools: [tool] }, agent: { transformContext } });
      session = made.session;
      const { agent, store } = made;
      agent.subscribe(({ type }) => (type === "turn_end" ? compacts("listener") : undefined));
      await session.prompt(words(300));
      await session.prompt(words(300));
      agent.followUp({ role: "user", content: "Queued.", timestamp: 1 });
      armed = true;
      await session.prompt("Look.");
      ok((await waiting).summary.startsWith("The summary."), place);
      await session.waitForIdle();
      equal(session.isBusy || agent.hasQueuedMessages(), false, place);
      ok((await stored(store)).endsWith("user assistant"), `${place}: ${await stored(store)}`);
      // Calls and results are still in pairs, so that the next request is one.
      const calls = new Set();
      for (const { role, content, toolCallId } of streamFn.requests.at(-1).messages)
        if (role === "assistant") for (const { type, id } of content) type === "toolCall" && calls.add(id);
        else if (role === "toolResult") ok(calls.delete(toolCallId), `${place}: result of ${toolCallId}`);
      equal(calls.size, 0, `${place}: calls without result`);
      equal(agent.state.messages.at(-1).content[0].text, words(100), place);
    };
    await Promise.all(["tool", "listener", "hook", "stream"].map(waits));
  },

  "a prompt that comes meanwhile waits": async (host) => {
    const held = gate();
    const arrived = gate();
    const streamFn = talking(words(200), async () => {
      arrived.open();
      await held.passed;
      return "The summary.";
    });
    const { agent, session, store } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const compacted = session.compact();
    await arrived.passed;
    const prompted = agent.prompt("Meanwhile.");
    held.open();
    await Promise.all([compacted, prompted]);
    ok((await stored(store)).endsWith("compaction user assistant"), await stored(store));
  },

  "what the application has emptied meanwhile stays empty": async (host) => {
    const held = gate();
    const arrived = gate();
    const streamFn = talking(words(200), async () => {
      arrived.open();
      await held.passed;
      return "The summary.";
    });
    const { agent, session } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    const compacted = session.compact();
    await arrived.passed;
    agent.reset();
    held.open();
    await compacted;
    equal(roles(agent.state.messages), "system");
    await session.prompt("Anew.");
    equal(roles(streamFn.requests.at(-1).messages), "system user");
  },

  "a listener of compaction_end may send a prompt": async (host) => {
    const streamFn = talking(words(200));
    const { agent, session, store } = await sessionOf(host, streamFn);
    for (let turn = 0; turn < 3; turn++) await session.prompt(words(200));
    let prompted;
    session.subscribe(({ type }) => {
      if (type === "compaction_end") prompted ??= agent.prompt("At once.");
    });
    await session.compact();
    await prompted;
    ok((await stored(store)).endsWith("compaction user assistant"), await stored(store));
  },

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
    await rejects(
      (async () => new host.session.Session({ ...session, compaction: { keepRecentTokens: -1 } }))(),
      "invalid_request",
    );
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
