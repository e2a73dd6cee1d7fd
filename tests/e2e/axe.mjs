// axe-core in the page, and what fits into it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The program, to be evaluated in the page: its own policy does not allow inline scripts. */
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every rule of axe, the best practices included. */
export async function audit(page, state) {
  const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  const found = violations.map(
    ({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
  );
  assert.deepEqual(found, []);
}
