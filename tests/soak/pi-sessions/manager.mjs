// pi's own SessionManager. It needs a newer Node than this repository, so it is a program of its own:
//   node manager.mjs MODULES read FILE    what it sees in a file
//   node manager.mjs MODULES append FILE  the same after it has gone on with it
//   node manager.mjs MODULES write FOLDER makes a session with all kinds of entries, tells its file and what it sees
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, action, path] = process.argv.slice(2);
const entry = join(modules, "@earendil-works/pi-coding-agent/dist/core/session-manager.js");
const { SessionManager } = await import(pathToFileURL(entry));

const usage = {
  ...{ input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
let time = 1_800_000_000_000;
const user = (content) => ({ role: "user", content, timestamp: time++ });
const answer = (content, stopReason = "stop") => ({
  ...{ role: "assistant", api: "openai-completions", provider: "openai", model: "gpt", usage },
  ...{ content, stopReason, timestamp: time++ },
});
const text = (value) => ({ type: "text", text: value });

function made() {
  const manager = SessionManager.create("/project", path);
  manager.appendMessage({ role: "system", content: "Be brief.", timestamp: time++ });
  manager.appendModelChange("openai", "gpt");
  manager.appendThinkingLevelChange("low");
  const first = manager.appendMessage(user("one"));
  manager.appendMessage(
    answer([text("look"), { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }], "toolUse"),
  );
  manager.appendMessage({
    ...{ role: "toolResult", toolCallId: "c1", toolName: "read", isError: false, timestamp: time++ },
    content: [text("é \u{1f600} \u2028")],
  });
  const failed = manager.appendMessage(answer([], "error"));
  manager.appendContextEdit(failed, null);
  const good = manager.appendMessage(answer([text("done")]));
  manager.appendCustomEntry("state", { a: [1, null] });
  manager.appendCustomMessageEntry("note", "Look here.", true, { b: 2 });
  manager.appendLabelChange(first, "start");
  manager.appendMessage(user("two"));
  manager.appendMessage(answer([text("second")]));
  manager.branchWithSummary(good, "What was tried.", { readFiles: ["a"], modifiedFiles: [] });
  const kept = manager.appendMessage(user("three"));
  manager.appendMessage(answer([text("third")]));
  manager.appendCompaction(
    "What was said.",
    kept,
    4321,
    { readFiles: [], modifiedFiles: ["b"] },
    false,
    usage,
  );
  manager.appendMessage(user("four"));
  manager.appendMessage(answer([text("fourth")]));
  manager.appendSessionInfo("A name");
  return manager;
}

const manager = action === "write" ? made() : SessionManager.open(path);
if (action === "append") {
  manager.appendMessage(user("from pi"));
  manager.appendMessage(answer([text("pi answers")]));
}
const { messages, model, thinkingLevel } = manager.buildSessionContext();
const labels = manager
  .getEntries()
  .flatMap(({ id }) => (manager.getLabel(id) ? [[id, manager.getLabel(id)]] : []));
const seen = {
  ...{ file: manager.getSessionFile(), messages, model, thinkingLevel, labels },
  ...{ leaf: manager.getLeafId(), entries: manager.getEntries(), name: manager.getSessionName() ?? null },
};
process.stdout.write(JSON.stringify(seen));
