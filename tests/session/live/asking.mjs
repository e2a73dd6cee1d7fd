// Compaction that is asked for, and what else happens meanwhile.
import { equal, ok, rejects } from "./check.mjs";
import { course, sessionOf, small, talking, words } from "./talking.mjs";
import { call, gate, roles, stored, textOf, toolOf } from "./world.mjs";

export const asking = {
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
};
