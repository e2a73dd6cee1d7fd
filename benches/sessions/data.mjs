// Sessions to measure with: questions, answers with tool calls and results of about 700 bytes an entry, and now and then a
// label, a setting, state of the application, a branch that is left, a compaction. The same for the same length.

const words = "the agent reads a file and writes what it found into the table of prices \u2013 so far".split(
  " ",
);
const hex = (number) => (number >>> 0).toString(16).padStart(8, "0");
const usage = {
  ...{ input: 5200, output: 310, cacheRead: 4800, cacheWrite: 0, totalTokens: 10_310 },
  cost: { input: 0.0156, output: 0.00465, cacheRead: 0.00144, cacheWrite: 0, total: 0.02169 },
};

/** Pseudo-random numbers below `below`; any fixed sequence will do. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 48271) >>> 0) % 2147483647 || 1;
    return state % below;
  };
}

/** A text of about `length` characters. */
function prose(roll, length) {
  let out = "";
  while (out.length < length) out += `${words[roll(words.length)]} `;
  return out;
}

const begun = Date.UTC(2026, 0, 2);

/** The header of all of them. */
export const header = {
  ...{ type: "session", version: 3, id: "bench", timestamp: new Date(begun).toISOString(), cwd: "/project" },
};

/** The entries of a session; with `compactions: false` one that was never compacted, of a single branch. */
export function entriesOf(count, { compactions = true } = {}) {
  const roll = dice(7);
  const entries = [];
  let leaf = null;
  const add = (type, members) => {
    const place = entries.length;
    const id = hex(Math.imul(place + 1, 0x9e3779b1));
    const timestamp = new Date(begun + place * 2000).toISOString();
    entries.push({ type, id, parentId: leaf, timestamp, ...members });
    leaf = id;
  };
  const time = () => begun + entries.length * 2000;
  const say = (message) => add("message", { message: { ...message, timestamp: time() } });
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  const answer = (content, stopReason) => say({ role: "assistant", content, ...model, usage, stopReason });
  add("model_change", { provider: "anthropic", modelId: model.model });
  for (let turn = 1; entries.length < count; turn++) {
    say({ role: "user", content: [{ type: "text", text: prose(roll, 120 + roll(300)) }] });
    for (let step = roll(4); step > 0; step--) {
      const id = `toolu_${hex(roll(2 ** 31))}${hex(entries.length)}`;
      const path = `src/part-${roll(90)}/file-${roll(900)}.ts`;
      const call = { type: "toolCall", id, name: "read", arguments: { path, offset: roll(500), limit: 80 } };
      answer([{ type: "text", text: prose(roll, 60 + roll(200)) }, call], "toolUse");
      const content = [{ type: "text", text: prose(roll, 200 + roll(600)) }];
      say({ role: "toolResult", toolCallId: id, toolName: "read", content, isError: false });
    }
    answer([{ type: "text", text: prose(roll, 200 + roll(500)) }], "stop");
    if (turn % 30 === 0) add("label", { targetId: leaf, label: `turn ${turn}` });
    if (turn % 40 === 0) add("thinking_level_change", { thinkingLevel: turn % 80 ? "high" : "off" });
    if (turn % 20 === 0) add("custom", { customType: "notes", data: { turn, note: prose(roll, 100) } });
    if (!compactions) continue;
    if (turn % 50 === 0) {
      const firstKeptEntryId = entries[entries.length - 12].id;
      add("compaction", { summary: prose(roll, 3000), firstKeptEntryId, tokensBefore: 150_000 });
    }
    if (turn % 100 === 0) leaf = entries[entries.length - 20].id;
  }
  return entries.slice(0, count);
}

/** The file of a session. */
export const textOf = (entries) => [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
