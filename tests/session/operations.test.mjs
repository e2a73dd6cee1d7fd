// fixtures/session through the built package; tests/session/fixtures.rs and scenarios.rs play the same natively.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import "../../npm/dist/index.js";
import { SessionTree } from "../../npm/dist/session.js";
import { createSessionHarness } from "../../pkg-tests/adapters/session-check.mjs";

const fixtures = (name) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/session/${name}`, import.meta.url), "utf8"));
const counted = () => {
  let next = 0;
  return () => (++next).toString(16).padStart(8, "0");
};
const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

for (const { name, ops, ...want } of fixtures("operations.json")) {
  test(name, async () => {
    const harness = await createSessionHarness({ ids: counted(), now: () => 1_767_323_045_000 });
    const session = await harness.create({ id: "s", cwd: "/project" });
    const names = new Map();
    const ids = new Map();
    const resolved = (value) =>
      typeof value === "string" && value.startsWith("$") ? ids.get(value.slice(1)) : value;
    for (const { as, refused, ...op } of ops) {
      const ready = Object.fromEntries(Object.entries(op).map(([key, value]) => [key, resolved(value)]));
      if (refused) {
        assert.throws(() => session.apply(ready), { name: "SessionError", code: refused });
        continue;
      }
      const id = session.apply(ready);
      if (as === undefined) continue;
      names.set(id, as);
      ids.set(as, id);
    }
    const named = (id) => names.get(id) ?? "?";
    const seen = session.observe();
    const { messages, model, thinkingLevel } = seen.context;
    const got = {
      branch: seen.branch.map(named),
      context: seen.contextEntries.map(named),
      roles: messages.map(({ role }) => role),
      model: model && [model.provider, model.modelId],
      thinking: thinkingLevel,
      leaf: named(seen.leafId),
      title: seen.name,
      labels: Object.fromEntries(Object.entries(seen.labels).map(([id, label]) => [named(id), label])),
      tree: seen.tree.map(({ id, depth }) => [named(id), depth]),
      ...(want.texts && { texts: messages.map(textOf) }),
    };
    for (const [key, value] of Object.entries(want)) assert.deepEqual(got[key], value, key);
  });
}

for (const { name, text, refuse, line, ...want } of fixtures("imports.json")) {
  test(`file: ${name}`, () => {
    const open = () => SessionTree.import(text, { ids: counted(), now: () => 1_767_323_045_000 });
    if (refuse) return assert.throws(open, { code: refuse, ...(line && { line }) });
    const tree = open();
    // Ids are drawn in groups here: what counts is the order of those that were used.
    const fresh = tree.getEntries().filter(({ id }) => /^0000/.test(id));
    const renumber = counted();
    const ids = new Map(fresh.map(({ id }) => [id, renumber()]));
    const named = (id) => ids.get(id) ?? id;
    const got = {
      reports: tree.reports.map(({ code, line = null, id = null }) => [code, line, named(id)]),
      branch: tree.getBranch().map(({ id }) => named(id)),
      roles: tree.buildSessionContext().messages.map(({ role }) => role),
      labels: tree.getLabels(),
    };
    for (const key of Object.keys(got))
      if (key in want || key !== "branch")
        assert.deepEqual(got[key], want[key] ?? (key === "labels" ? {} : []), key);
    if (want.sameText !== undefined) assert.equal(tree.export() === text, want.sameText);
  });
}
