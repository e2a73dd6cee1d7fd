// What is measured: each cell is one prompt to a model whose name tells the scripted provider what to answer.

/** Fragments of about the length of a token. */
const fragments =
  "The| agent| reads| each| piece| of| text| as| it| comes| in|,| hands| it| to| whoever| listens| and| goes| on|.\n".split(
    "|",
  );

/** The deltas of a text answer. */
export const textDelta = (i) => fragments[i % fragments.length];

/** Program text of `length` characters: line breaks, quotes, backslashes and a few characters outside ASCII. */
function programText(length) {
  const lines = [
    "function render(rows, target) {",
    '  const title = "caf\u00e9 \\"menu\\"\\n"; // \u00bbquoted\u00ab \u2013 on purpose',
    "  for (const [i, row] of rows.entries()) target.append(`${i}: ${row.name}\\t${row.price}`);",
    "  return rows.length > 0 && rows.every((row) => row.price >= 0);",
    "}",
    "",
  ].join("\n");
  return lines.repeat(Math.ceil(length / lines.length)).slice(0, length);
}

/** The arguments of the one tool call, as the model writes them, in pieces of 4 to 40 characters. */
export function argumentDeltas(length) {
  const json = JSON.stringify({ path: "src/render.js", content: programText(length) });
  const deltas = [];
  // Any fixed sequence of lengths will do: a linear congruence modulo a prime.
  let state = 12345;
  for (let at = 0; at < json.length; ) {
    state = (state * 48271) % 2147483647;
    const size = 4 + (state % 37);
    deltas.push(json.slice(at, at + size));
    at += size;
  }
  return deltas;
}

const sum = (texts) => texts.reduce((total, text) => total + text.length, 0);

/** The answer after the tool result. */
export const closing = ["All", " done", "."];

/** `count` text deltas and no tool call. `paced`: one event every 2 ms in place of a burst. */
function text(id, count, paced = false) {
  const deltas = Array.from({ length: count }, (_, i) => textDelta(i));
  return {
    id,
    model: `text:${count}${paced ? ":paced" : ""}`,
    expect: { text: count, textChars: sum(deltas), args: 0, argsChars: 0, toolCalls: 0, toolChars: 0 },
  };
}

/** One tool call whose arguments hold a text of `length` characters, then a short answer. */
function args(id, length) {
  const deltas = argumentDeltas(length);
  return {
    id,
    model: `arguments:${length}`,
    expect: {
      text: closing.length,
      textChars: sum(closing),
      args: deltas.length,
      argsChars: sum(deltas),
      toolCalls: 1,
      toolChars: length,
    },
  };
}

/** All cells; the id begins with the scenario. */
export const cells = [
  text("S1-50", 50),
  text("S1-5k", 5_000),
  text("S1-20k", 20_000),
  text("S1-80k", 80_000),
  args("S2-64k", 64 * 1024),
  args("S2-256k", 256 * 1024),
  args("S2-1M", 1024 * 1024),
  args("S2-4M", 4096 * 1024),
  text("S6-1500", 1_500, true),
];

/** What runs unless told otherwise. */
export const defaultCells = ["S1-50", "S1-5k", "S1-20k", "S1-80k", "S2-64k", "S2-1M"];

/** The cells that a word of `--scenarios` means: an id, or the beginning of ids. */
export function cellsOf(words) {
  return words.flatMap((word) => {
    const found = cells.filter(({ id }) => id === word || id.startsWith(`${word}-`));
    if (found.length === 0)
      throw new Error(`no such scenario: ${word} (known: ${cells.map(({ id }) => id).join(", ")})`);
    return found;
  });
}
