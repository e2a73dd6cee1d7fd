// Medians and the tables that are printed.

export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of `field` over the repetitions of a cell with a peer. */
export const medianOf = (runs, cell, peer, field) =>
  median(runs.filter((run) => run.cell === cell && run.peer === peer).map((run) => run[field]));

const fixed = (value, digits) => (value === undefined ? "-" : value.toFixed(digits));

/** Markdown, columns padded so that it can be read as it is. */
function markdown(head, rows) {
  const widths = head.map((title, i) => Math.max(title.length, 3, ...rows.map((row) => row[i].length)));
  const line = (row) =>
    `| ${row.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? `${"-".repeat(width + 2)}` : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** One figure per cell and peer. */
export function table(runs, cells, peers, field, digits, scale = 1) {
  const value = (cell, peer) => {
    const found = medianOf(runs, cell, peer, field);
    return found === undefined ? undefined : found / scale;
  };
  return markdown(
    ["cell", ...peers],
    cells.map((cell) => [cell, ...peers.map((peer) => fixed(value(cell, peer), digits))]),
  );
}

/** Ratios of the figures, for each pair `[of, to]` of peers that were measured. */
export function ratios(runs, cells, pairs, field) {
  const ratio = (cell, [of, to]) => {
    const [a, b] = [medianOf(runs, cell, of, field), medianOf(runs, cell, to, field)];
    return a === undefined || b === undefined ? undefined : a / b;
  };
  return markdown(
    ["cell", ...pairs.map(([of, to]) => `${of} / ${to}`)],
    cells.map((cell) => [cell, ...pairs.map((pair) => fixed(ratio(cell, pair), 2))]),
  );
}
