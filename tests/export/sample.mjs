// A session with something of everything.
import "../../npm/dist/index.js";
import { SessionTree } from "../../npm/dist/session.js";

export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGNQSDmBBzGMSqcQACblshFZX9hXAAAAAElFTkSuQmCC";
export const usage = (input, output, total = 0) => ({
  ...{ input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
});
export const user = (content) => ({ role: "user", content, timestamp: 1767225600000 });
export const assistant = (content, more = {}) => ({
  ...{ role: "assistant", api: "test-api", provider: "acme", model: "large-1", stopReason: "stop" },
  ...{ usage: usage(1200, 85, 0.0042), timestamp: 1767225601000, durationMs: 1840 },
  content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  ...more,
});
export const call = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });
export const result = (id, name, text, more = {}) => ({
  ...{ role: "toolResult", toolCallId: id, toolName: name, isError: false, timestamp: 1767225602000 },
  content: [{ type: "text", text }],
  ...more,
});

const answer = `The harbour is open. In short:

## What I found

1. The tide is **falling** until 14:10.
2. Wind is from the west, see [the station](https://example.org/wind?a=1&b=2).

\`\`\`js
const depth = tide.at("14:10") - draught; // 2.4 m
if (depth < 1) throw new Error("too shallow");
\`\`\`

- Berth \`B7\` is free
  - it has water and power
- Berth \`C2\` is taken

> Ships above 12 m report on channel 11.

| berth | depth | free |
|-------|-------|------|
| B7    | 2.4 m | yes  |`;

/** A conversation of two branches with tools, images, summaries, labels and settings. */
export function sample() {
  let number = 0;
  let now = 1767225600000;
  const tree = SessionTree.create({
    id: "harbour",
    ids: () => `a${String(number++).padStart(7, "0")}`,
    now: () => (now += 61_000),
  });
  tree.appendSessionInfo("Into the harbour by noon");
  tree.appendModelChange("acme", "large-1");
  tree.appendThinkingLevelChange("medium");
  tree.appendMessage({
    ...{ role: "system", content: "You are the pilot of a small harbour.", timestamp: 1 },
    sections: { place: "North quay" },
    toolsAdded: [{ name: "tide", description: "Tides", parameters: { type: "object" } }],
  });
  const first = tree.appendMessage(
    user([
      { type: "text", text: "Can we enter at noon? This is our ship:" },
      { type: "image", data: png, mimeType: "image/png" },
    ]),
  );
  tree.appendMessage(
    assistant(
      [
        { type: "thinking", thinking: "I need the tide, and the wind." },
        { type: "text", text: "Let me look at the tide." },
        call("call_1", "tide", { station: "North quay", at: "2026-01-01T12:00" }),
        call("call_2", "wind", {}),
      ],
      { stopReason: "toolUse" },
    ),
  );
  tree.appendMessage(
    result("call_1", "tide", "12:00  3.1 m\n13:00  2.8 m\n14:10  2.4 m", { durationMs: 210 }),
  );
  const tools = tree.appendMessage(
    result("call_2", "wind", "The station does not answer.", { isError: true }),
  );
  const answered = tree.appendMessage(assistant(answer));
  tree.appendLabelChange(answered, "good answer");
  tree.appendMessage(user("And with the dinghy?"));
  const left = tree.appendMessage(assistant("The dinghy can enter at any time."));
  tree.branch(tools);
  tree.appendMessage(assistant("", { stopReason: "error", errorMessage: "The server is overloaded (529)." }));
  tree.branchWithSummary(answered, "We talked about the dinghy: it can enter at **any** time.", {
    details: { left },
  });
  tree.appendMessage(user("Then book berth B7.\nThanks!"));
  tree.appendCustomEntry("harbour.booking", { berth: "B7", guests: 2 });
  tree.appendCustomMessageEntry("notice", "The harbour master is on lunch break.", true);
  tree.appendMessage({
    ...{ role: "bashExecution", command: "ls berths", output: "B7\nC2\n", exitCode: 1, timestamp: 1 },
  });
  const last = tree.appendMessage(assistant("Done: berth B7 for two nights."));
  tree.appendCompaction("The ship enters at noon; berth `B7` is booked.", last, 12_345, {
    details: { readFiles: ["tide.txt"], modifiedFiles: [] },
  });
  tree.appendContextEdit(first, null);
  tree.appendUsage("cache_warm", "acme", "large-1", usage(10, 0, 0.0001), "kept warm");
  tree.appendMessage(user("See you at the quay: mailto:pilot@harbour.example"));
  return tree;
}
