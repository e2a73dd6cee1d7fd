// The benchmark; `npm run bench -- OPTIONS` builds the package first. What, how and figures: benches/README.md.
//   --scenarios S1,S2-64k   cells, or the beginnings of their ids
//   --peers raw,ours,pi     adapters
//   --reps 7                repetitions per cell and peer, interleaved
//   --json FILE             every repetition, to the file
//   --smoke                 small cells once, counts only; needs no network
//   --profile               one CPU profile per cell and peer in place of the tables, written to target/bench/profiles;
//                           with --smoke only counts are looked at
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Report, root, targetDir } from "../../scripts/common.mjs";
import { cells as allCells, cellsOf, defaultCells } from "./cells.mjs";
import { launch, measure } from "./chromium.mjs";
import { bundle, peers as allPeers } from "./peers.mjs";
import { hotSpots } from "./profile.mjs";
import { startServer, warm } from "./provider.mjs";
import { ratios, table } from "./table.mjs";

const { values: options } = parseArgs({
  options: {
    scenarios: { type: "string" },
    peers: { type: "string" },
    reps: { type: "string", default: "7" },
    json: { type: "string" },
    smoke: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const words = (text) => text.split(",").filter(Boolean);
const chosen = (text, smoke, usual) => (text ? words(text) : options.smoke ? smoke : usual);
const cells = cellsOf(chosen(options.scenarios, ["S1-5k", "S2-64k"], defaultCells));
const peers = chosen(options.peers, ["raw", "ours", "ours-iter"], allPeers);
const unknown = peers.filter((peer) => !allPeers.includes(peer));
if (unknown.length > 0)
  throw new Error(`no such peer: ${unknown.join(", ")} (known: ${allPeers.join(", ")})`);
const reps = Number(options.reps);
if (!Number.isInteger(reps) || reps < 1) throw new Error("--reps takes a whole number from 1");

const bundles = await bundle(peers, { readable: options.profile });
for (const cell of cells) warm(cell);
const server = await startServer([join(root, "benches/browser"), bundles]);
const browser = await launch();
try {
  if (options.smoke) await smoke();
  else if (options.profile) await profile();
  else await compare();
} finally {
  await browser.close();
  await server.close();
}

/** Whether every adapter delivers what the provider sent. */
async function smoke() {
  const report = new Report();
  for (const cell of cells) {
    for (const peer of peers) {
      const { profile } = options;
      await report.attempt(`${cell.id} ${peer}`, () => measure(browser, server.url, peer, cell, { profile }));
    }
  }
  report.finish();
}

async function profile() {
  const folder = join(targetDir, "bench/profiles");
  mkdirSync(folder, { recursive: true });
  for (const cell of cells) {
    for (const peer of peers) {
      const run = await measure(browser, server.url, peer, cell, { profile: true });
      const file = join(folder, `${cell.id}-${peer}.cpuprofile`);
      writeFileSync(file, JSON.stringify(run.profile));
      console.log(`\n${cell.id} ${peer}: self time, ms and share (${file})`);
      for (const [ms, share, name] of hotSpots(run.profile)) {
        console.log(`${ms.toFixed(1).padStart(8)} ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
      }
    }
  }
}

async function compare() {
  const runs = [];
  const started = new Date().toISOString();
  const loads = [loadavg()[0]];
  // One round is one repetition of everything, in turning order, so that slow moments of the machine hit all alike. The
  // last round samples memory.
  for (let round = 0; round <= reps; round++) {
    const memory = round === reps;
    for (const cell of cells) {
      for (let i = 0; i < peers.length; i++) {
        const peer = peers[(i + round) % peers.length];
        const { profile, ...run } = await measure(browser, server.url, peer, cell, { memory });
        if (memory) for (const field of ["mainMs", "loadMs", "wallMs", "longTaskMs"]) delete run[field];
        runs.push({ cell: cell.id, peer, ...run });
      }
    }
    loads.push(loadavg()[0]);
    process.stderr.write(`round ${round + 1} of ${reps + 1}, load ${loads.at(-1).toFixed(1)}\n`);
  }

  const ids = allCells.map(({ id }) => id).filter((id) => cells.some((cell) => cell.id === id));
  const pairs = peers
    .filter((peer) => peer.startsWith("ours"))
    .flatMap((peer) => ["raw", "raw-tight", "pi"].map((other) => [peer, other]))
    .filter(([, other]) => peers.includes(other));
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores`;
  const load = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  console.log(`\nChromium ${browser.version()}, ${machine}, Node ${process.versions.node}`);
  console.log(`medians of ${reps} interleaved repetitions; load average ${load}`);
  const show = (title, text) => console.log(`\n${title}\n\n${text}`);
  show("Main-thread CPU of the prompt, ms", table(runs, ids, peers, "mainMs", 1));
  if (pairs.length > 0) show("Ratios of these figures", ratios(runs, ids, pairs, "mainMs"));
  show("Main-thread CPU of import and start, ms (once per page)", table(runs, ids, peers, "loadMs", 1));
  show("Longest task over 50 ms, ms", table(runs, ids, peers, "longTaskMs", 0));
  show(
    "Memory peak above start (JS heap and wasm memory), MB",
    table(runs, ids, peers, "peakBytes", 1, 2 ** 20),
  );
  if (options.json) {
    const about = { started, browser: browser.version(), machine, node: process.versions.node, reps, loads };
    writeFileSync(options.json, `${JSON.stringify({ ...about, runs }, null, 1)}\n`);
  }
}
