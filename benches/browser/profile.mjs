// Where the time of a CPU profile went, as text.

/** Self time by function, the highest first: `[ms, share, name]`. */
export function hotSpots({ nodes, samples, timeDeltas }, most = 30) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const spent = new Map();
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    if (functionName === "(idle)") continue;
    const file = url.startsWith("wasm:") ? "wasm" : url.split("/").at(-1);
    const name = `${functionName || "(anonymous)"}${file ? ` ${file}:${lineNumber + 1}` : ""}`;
    const ms = (timeDeltas[i] ?? 0) / 1000;
    spent.set(name, (spent.get(name) ?? 0) + ms);
    total += ms;
  }
  return [...spent]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name, ms]) => [ms, ms / total, name]);
}
