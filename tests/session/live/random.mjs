// Sessions that anything may happen to: what is asked is valid, what is stored is what is there, and a reload changes
// nothing.
import { equal, ok } from "./check.mjs";
import { call, failing, model, toolOf, usageOf, user } from "./world.mjs";

/** Seeds in a usual run; more are in tests/soak/sessions.mjs. */
const SEEDS = 12;
const STEPS = 25;
const small = { ...model, contextWindow: 2000, maxTokens: 200 };
const words = (tokens) => "word".repeat(tokens);

/** Numbers that are the same for the same seed. */
function randomOf(seed) {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** A request is one that servers take: calls and results match, and the user speaks first. */
function valid(messages) {
  let open = new Set();
  const said = messages.filter(({ role }) => role !== "system");
  equal(said[0]?.role, "user", "the first message");
  for (const { role, content, toolCallId, stopReason } of said) {
    if (role === "toolResult") {
      ok(open.delete(toolCallId), `a result without its call: ${toolCallId}`);
      continue;
    }
    equal([...open], [], "calls without results");
    if (role !== "assistant") continue;
    ok(!["error", "aborted"].includes(stopReason), `a ${stopReason} answer in a request`);
    open = new Set(content.filter(({ type }) => type === "toolCall").map(({ id }) => id));
  }
  equal([...open], [], "calls without results");
}

/** A model that says this and that, and fails in several ways. */
function anything(random, agentOf) {
  let calls = 0;
  const failed = (errorMessage) => ({ stopReason: "error", errorMessage, content: [] });
  const answer = () => {
    switch (random(9)) {
      case 0:
        return failed("prompt is too long: 3000 tokens > 2000 maximum");
      case 1:
        return failed("503 overloaded");
      case 2:
      case 3:
        return {
          stopReason: "toolUse",
          content: Array.from({ length: 1 + random(3) }, () => call(`c${++calls}`, "look")),
        };
      case 4:
        agentOf().abort();
        return { content: [{ type: "text", text: "half" }] };
      default:
        return { content: [{ type: "text", text: words(random(300)) }] };
    }
  };
  return async (asked, context, options) => {
    const summary = context.systemPrompt !== undefined;
    if (!summary) valid(context.messages);
    const base = { role: "assistant", api: "scripted", provider: asked.provider, model: asked.id };
    const said = summary
      ? random(6) === 0
        ? failed("no summary today")
        : { content: [{ type: "text", text: `Summary. ${words(random(40))}` }] }
      : answer();
    const message = { ...base, stopReason: "stop", usage: usageOf(0, 0), timestamp: Date.now(), ...said };
    if (options.signal?.aborted) Object.assign(message, { stopReason: "aborted", errorMessage: "aborted" });
    const bad = ["error", "aborted"].includes(message.stopReason);
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: { ...message, stopReason: "pending" } };
        yield bad
          ? { type: "error", reason: message.stopReason, error: message }
          : { type: "done", reason: message.stopReason, message };
      },
      result: async () => message,
    };
  };
}

async function play(host, seed) {
  const { Session } = host.session;
  const random = randomOf(seed);
  const failures = [];
  const store = failing(host, failures);
  let agent;
  let session;
  const counts = { start: 0, end: 0 };
  const errors = [];
  const open = async () => {
    const look = toolOf("look", () => words(random(200)));
    agent = new host.steersman.Agent({
      streamFn: anything(random, () => agent),
      initialState: { model: small, systemPrompt: "Be brief.", tools: [look] },
      onError: (error) => errors.push(error),
    });
    const compaction = { reserveTokens: 500, keepRecentTokens: 300 };
    session = await Session.open({ agent, store, compaction });
    session.subscribe(({ type }) => {
      if (type === "compaction_start") counts.start++;
      if (type === "compaction_end") counts.end++;
    });
  };
  const some = () => {
    const entries = session.tree.getEntries();
    return entries[random(entries.length)]?.id;
  };
  const steps = [
    () => session.prompt(words(random(300))),
    () => agent.prompt(`Question ${random(9)}`),
    () => agent.prompt(words(random(200))),
    () => session.compact(random(2) ? "focus" : undefined),
    () => session.navigate(some(), { summarize: random(2) === 0, ...(random(3) ? {} : { label: "here" }) }),
    () => session.regenerate(),
    () => session.switchTo(some()),
    () => session.branch(some()),
    () => session.setLabel(some(), random(2) ? "label" : undefined),
    () => Promise.all([agent.prompt("1"), session.compact()]),
    () => {
      agent.followUp(user("later"));
      agent.steer(user("now"));
      return agent.prompt(words(random(100)));
    },
    () => {
      agent.state.messages = agent.state.messages.slice(0, -1 - random(3));
      return agent.prompt("Other.");
    },
    async () => failures.push(...Array(random(4)).fill("failed")),
    async () => {
      failures.length = 0;
      await session.waitForIdle();
      const before = JSON.stringify(session.tree.buildSessionContext().messages);
      const leaf = session.tree.getLeafId();
      await session.dispose({ keepStore: true });
      await open();
      equal(session.tree.getLeafId(), leaf, "the leaf");
      equal(JSON.stringify(session.tree.buildSessionContext().messages), before, "the context");
    },
  ];
  await open();
  await agent.prompt("First.");
  for (let step = 0; step < STEPS; step++) {
    await steps[random(steps.length)]().catch((error) => {
      const expected = ["AgentBusyError", "CompactionError", "SessionError", "AgentError"];
      if (!expected.includes(error.name)) throw error;
    });
    await session.waitForIdle();
    equal([session.isBusy, counts.start - counts.end], [false, 0], "at rest");
  }
  failures.length = 0;
  await session.waitForIdle();
  equal(session.unsaved, 0);
  const entries = (await store.scanEntries({ order: "asc" })).map(({ seq: _, ...entry }) => entry);
  equal(entries, [...session.tree.getEntries()], "what is stored");
  equal(await store.value("pi.branch.tip", "main"), session.tree.getLeafId(), "the tip");
  equal(errors.map(String), [], "hooks and listeners that threw");
  return counts.end;
}

/** Plays some seeds; gives how many compactions there were. Throws at the first that fails. */
export async function playSeeds(host, from, count) {
  let compactions = 0;
  for (let seed = from; seed < from + count; seed++) {
    try {
      compactions += await play(host, seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error?.stack ?? error}`);
    }
  }
  return compactions;
}

export const random = {
  "whatever happens, requests are valid and the store is what is there": async (host) => {
    const compactions = await playSeeds(host, 1, SEEDS);
    ok(compactions > SEEDS, `${compactions} compactions`);
  },
};
