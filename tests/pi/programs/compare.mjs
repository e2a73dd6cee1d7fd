// What two packages made of one program.
import { play } from "./play.mjs";

/** A stream of events does not wait for its reader: its events and everything else are two orders. */
const lanes = ({ api, lines }) =>
  api === "loop" ? [lines.filter(isOfStream), lines.filter((line) => !isOfStream(line))] : [lines];

const isOfStream = (line) => /^(event|loop) /.test(line);

const CLOSING = ["message_start", "message_end", "turn_end", "agent_end"];

/** Whether what comes next closes a failed run. Whoever reads no events sees the result only. */
const closes = ([first, ...more]) =>
  first?.startsWith("loop has ended") ||
  CLOSING.every((type, index) => [first, ...more][index]?.startsWith(`event ${type} `));

/**
 * Plays a program with both. `found`, where they differ: two lists of lines, and the place where these part. `lines`: how
 * many pi gave; `ended`: whether it came to its end there.
 *
 * A stream that pi never ends, after a callback has thrown, is one that ends here: see "Failures end" in
 * docs/migration.md.
 */
export async function difference(pi, steersman, seed, calm) {
  const [a, b] = [await play(pi, seed, calm), await play(steersman, seed, calm)];
  const of = (found) => ({ found, lines: a.lines.length, ended: a.ended });
  const wild = new Set([...a.wild, ...b.wild]);
  const hangs = a.api === "loop" && !a.ended && b.ended;
  const [theirs, ours] = [lanes(a), lanes(b)];
  for (const [lane, expected] of theirs.entries()) {
    const actual = ours[lane];
    if (hangs) {
      while (/^(unhandled|refusals) /.test(expected.at(-1))) expected.pop();
      if (lane === 1 || closes(actual.slice(expected.length))) actual.length = expected.length;
    }
    for (let at = 0; at < Math.max(expected.length, actual.length); at++) {
      if (expected[at] !== actual[at]) return of({ theirs: expected, ours: actual, at, wild });
    }
  }
  if (a.ended === b.ended || hangs) return of(undefined);
  return of({ theirs: [`ends: ${a.ended}`], ours: [`ends: ${b.ended}`], at: 0, wild });
}

/** The first words of both lines where a difference begins. */
const kindOf = ({ theirs, ours, at }) =>
  [theirs[at], ours[at]].map((line) => (line ?? "(end)").split(" ")[0]).join(" | ");

/** The same kind of difference, with as few unusual choices as possible. */
export async function smallest(pi, steersman, seed, found) {
  let best = found;
  let calm = new Set();
  for (let size = 16; size >= 1; size = Math.floor(size / 2)) {
    const wild = [...best.wild];
    for (let from = 0; from < wild.length; from += size) {
      const fewer = new Set([...calm, ...wild.slice(from, from + size)]);
      const { found: next } = await difference(pi, steersman, seed, fewer);
      if (next && kindOf(next) === kindOf(found)) [best, calm] = [next, fewer];
    }
  }
  return best;
}
