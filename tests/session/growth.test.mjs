// Long sessions of every kind: what takes more work with each entry that is there already is soon of no use.
import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "../../npm/dist/index.js";
import { prepareCompaction, SessionTree } from "../../npm/dist/session.js";
import { isLinear } from "../growth.mjs";

await init();

const user = (content) => ({ role: "user", content, timestamp: 1 });

/** A session of so many messages, one after the other, as a store gives it. */
function stored(count, text) {
  const timestamp = "2026-01-02T00:00:00.000Z";
  const entries = [];
  for (let at = 0; at < count; at++)
    entries.push({
      ...{ type: "message", id: `e${at}`, parentId: at ? `e${at - 1}` : null, timestamp },
      message: user(text),
    });
  return SessionTree.from({ type: "session", version: 3, id: "s", timestamp, cwd: "/" }, entries);
}

test("many compactions", async () => {
  await isLinear(500, (count) => {
    const tree = SessionTree.create();
    return () => {
      for (let at = 0; at < count; at++) {
        const id = tree.appendMessage(user(`m${at}`));
        tree.appendCompaction("summary", id, 10);
      }
      assert.equal(tree.buildSessionContext().messages.length, 2);
    };
  });
});

test("many compactions of a session with instructions, of which each keeps what they say", async () => {
  await isLinear(500, (count) => {
    const tree = SessionTree.create();
    tree.appendMessage({ role: "system", content: "Be brief.", timestamp: 1 });
    return () => {
      for (let at = 0; at < count; at++) {
        const id = tree.appendMessage(user(`m${at}`));
        tree.appendCompaction("summary", id, 10);
      }
      const { messages } = tree.buildSessionContext();
      assert.deepEqual(
        messages.map(({ role }) => role),
        ["system", "compactionSummary", "user"],
      );
      assert.equal(messages[0].content, "Be brief.");
    };
  });
});

test("many compactions that each keep everything", async () => {
  await isLinear(1000, (count) => {
    const tree = SessionTree.create();
    const first = tree.appendMessage(user("first"));
    return () => {
      for (let at = 0; at < count; at++) {
        tree.appendMessage(user(`m${at}`));
        tree.appendCompaction("summary", first, 10);
      }
      assert.equal(tree.buildSessionContext().messages.length, count + 2);
    };
  });
});

test("many edits of what is far away, on two branches in turn", async () => {
  await isLinear(8000, (count) => {
    const tree = stored(count, "m");
    return () => {
      let [here, there] = [tree.getLeafId(), tree.getLeafId()];
      for (let part = 0; part < 4; part++) {
        tree.branch(here);
        for (let at = 0; at < count / 16; at++)
          here = tree.appendContextEdit("e0", { content: `on ${part % 2}` });
        [here, there] = [there, here];
      }
      for (const [leaf, said] of Object.entries({ [here]: "on 0", [there]: "on 1" }))
        assert.equal(tree.buildSessionContext(leaf).messages[0].content, said);
    };
  });
});

test("a branch with many labels", async () => {
  await isLinear(2000, (count) => {
    const tree = SessionTree.create();
    const ids = [];
    for (let at = 0; at < count; at++) ids.push(tree.appendMessage(user(`m${at}`)));
    for (const id of ids) tree.appendLabelChange(id, `label of ${id}`);
    return () => {
      const made = tree.createBranchedSession(tree.getLeafId());
      assert.deepEqual(made.getLabels(), tree.getLabels());
    };
  });
});

test("a branch with many compactions", async () => {
  await isLinear(1000, (count) => {
    const tree = SessionTree.create();
    for (let at = 0; at < count; at++)
      tree.appendCompaction("summary", tree.appendLabelChange(tree.appendMessage(user(`m${at}`)), "l"), 10);
    return () => {
      const made = tree.createBranchedSession(tree.getLeafId());
      assert.equal(made.getEntries().length, 3 * count);
      // What was kept from a label on is kept from the entry after it on, which is the compaction.
      const last = made.getEntries().findLast(({ type }) => type === "compaction");
      assert.equal(last.firstKeptEntryId, last.id);
    };
  });
});

test("the first look into a long session that was stored", async () => {
  await isLinear(3000, (count) => {
    const tree = stored(count, "word ".repeat(100));
    return () =>
      assert.equal(prepareCompaction(tree, { keepRecentTokens: 1 }).messagesToSummarize.length, count - 1);
  });
});
