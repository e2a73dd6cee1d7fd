import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { join } from "node:path";
import "../../npm/dist/index.js";
import { estimateContextTokens } from "../../npm/dist/session.js";
import { root } from "../../scripts/common.mjs";
import { model, usageOf, user } from "../shell/scripted.mjs";

// Not part of the package's surface, so it is built for this test alone.
const { outputFiles } = await build({
  entryPoints: [join(root, "npm/src/session/size-bound.ts")],
  ...{ bundle: true, format: "esm", write: false, logLevel: "error" },
});
const { SizeBound } = await import(
  `data:text/javascript;base64,${outputFiles[0].text && Buffer.from(outputFiles[0].contents).toString("base64")}`
);

test("the bound is never below the size, whatever the messages are", () => {
  const answer = (content, usage = usageOf(0, 0)) => ({
    ...{ role: "assistant", api: "a", provider: model.provider, model: model.id, content, usage },
    ...{ stopReason: "stop", timestamp: 1 },
  });
  const kinds = [
    user("\u{1f600}é".repeat(7)),
    {
      role: "user",
      content: [
        { type: "text", text: "abc" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
    answer([
      { type: "thinking", thinking: "hm" },
      { type: "toolCall", id: "1", name: "look", arguments: { a: "é\n" } },
    ]),
    answer([{ type: "text", text: "x".repeat(101) }], usageOf(5000, 20)),
    { ...answer([{ type: "text", text: "x" }], usageOf(90_000, 20)), stopReason: "error" },
    {
      role: "toolResult",
      toolCallId: "1",
      toolName: "look",
      content: [{ type: "text", text: "r".repeat(55) }],
    },
    { role: "custom", customType: "note", content: "n".repeat(33), display: true },
    { role: "bashExecution", command: "ls", output: "o".repeat(44) },
    { role: "branchSummary", summary: "s".repeat(21), fromId: "root" },
    { role: "compactionSummary", summary: "s".repeat(21), tokensBefore: 9 },
    {
      role: "system",
      content: "Be brief.",
      sections: { a: "b" },
      toolsAdded: [{ name: "t", description: "d", parameters: {} }],
    },
  ];
  for (let from = 0; from < kinds.length; from++) {
    const bound = new SizeBound();
    const messages = [];
    for (let at = 0; at < 2 * kinds.length; at++) {
      messages.push(kinds[(from + at * 3) % kinds.length]);
      bound.add(messages.at(-1));
      const { tokens } = estimateContextTokens(messages);
      let asked = false;
      const above = bound.isAbove(tokens - 1, () => {
        asked = true;
        return tokens;
      });
      assert.deepEqual([above, asked], [true, true]);
      if (at % 2) bound.reset(messages);
    }
  }
});
