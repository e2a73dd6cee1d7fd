// Chromium is killed while a page writes. What was acknowledged is there afterwards, and no commit is half there.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../scripts/browser.mjs";
import { root } from "../../scripts/common.mjs";
import { startEngine } from "../../scripts/engines.mjs";

/** The longest time from the start of an append to the kill, in milliseconds. */
const LATEST_MS = 300;
/** A page that has not said what it found by then never will. */
const LONGEST_MS = 60_000;

const html =
  '<!doctype html><title>killed</title><script type="module" src="/tests/stores/killed.page.mjs"></script>';

/** Kills so many times, on one profile; every start says what the last kill left. Gives figures. */
export async function killRounds(report, rounds) {
  const profile = mkdtempSync(join(tmpdir(), "steersman-killed-"));
  const acknowledged = new Set();
  let hear = {};
  const take = (name) => async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    response.writeHead(204).end();
    if (request.complete) hear[name]?.(JSON.parse(Buffer.concat(parts).toString("utf8")));
  };
  const routes = {
    "/": { type: ".html", body: html },
    "/dist/": join(root, "npm/dist"),
    "/tests/": join(root, "tests"),
  };
  for (const name of ["found", "started", "acknowledged"]) routes[`/${name}`] = take(name);
  const server = await serve(routes);
  let before = 0;
  try {
    for (let round = 0; round <= rounds; round++) {
      const last = round === rounds;
      const told = {};
      const when = (name) => new Promise((resolve) => (told[name] = resolve));
      const [found, started] = [when("found"), when("started")];
      hear = { ...told, acknowledged: (id) => acknowledged.add(id) };
      const browser = startEngine("chromium", `${server.url}/${last ? "?last" : ""}`, { profile });
      const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref());
      const state = await Promise.race([found, browser.ended, late]);
      if (!state?.entries) {
        report.check(false, `after ${round} kills the page says what it found`, browser.output());
        await browser.stop();
        break;
      }
      report.check(state.role === "writer", `after ${round} kills the lock is free`, state.role);
      check(report, state, acknowledged, `after ${round} kills`);
      if (!last) {
        await Promise.race([started, browser.ended, late]);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LATEST_MS));
      }
      await browser.stop();
      before = state.entries.length;
    }
  } finally {
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  return `${rounds} kills, ${before} entries there, ${acknowledged.size} of them acknowledged before`;
}

function check(report, { entries, tip, messageCount }, acknowledged, when) {
  const there = new Set(entries.map(([id]) => id));
  const lost = [...acknowledged].filter((id) => !there.has(id));
  report.check(lost.length === 0, `${when} nothing acknowledged is lost`, lost.join(" "));
  const torn = entries.filter(
    ([id, parent, length], at) =>
      id !== `e${at}` ||
      parent !== (at === 0 ? null : `e${at - 1}`) ||
      length !== (at % 8 === 7 ? 70_000 : 100),
  );
  report.check(torn.length === 0, `${when} the chain is whole`, JSON.stringify(torn.slice(0, 5)));
  const end = entries.at(-1)?.[0] ?? null;
  report.check(
    tip === end && messageCount === entries.length,
    `${when} entry, tip and counts are of one commit`,
    `tip ${tip}, last entry ${end}, ${messageCount} of ${entries.length} counted`,
  );
}
