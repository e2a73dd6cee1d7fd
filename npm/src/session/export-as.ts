/** Other files than the whole session in version 3. */
import { LABELS, NAME, setValue, TIPS } from "./store.js";
import type { SessionTree } from "./tree.js";
import type { SessionEntry } from "./types.js";

/** What a file is to hold. */
export interface ExportOptions {
  /** The branch of the leaf alone. */
  branch?: boolean;
  /** 4: the file of pi's harness, with labels, name and the tip of the branch `main` beside the entries. Default 3. */
  version?: 3 | 4;
}

/** The lines of a file of version 4, one write each. Entries whose parent is not there before them are roots. */
export function linesOfV4(tree: SessionTree, entries: readonly SessionEntry[]): string[] {
  const { id, timestamp, cwd, parentSession } = tree.getHeader();
  const seen = new Set<string>();
  const rows: unknown[] = entries.map((entry) => {
    const parentId = entry.parentId !== null && seen.has(entry.parentId) ? entry.parentId : null;
    seen.add(entry.id);
    return { kind: "entry", ...entry, parentId, timestamp: Date.parse(entry.timestamp) || 0 };
  });
  const { values, usage } = tree.beside ?? { values: own(tree, seen), usage: [] };
  const tip = ([namespace, key]: readonly unknown[]) => namespace === TIPS && key === "main";
  for (const row of usage) rows.push({ kind: "usage", ...row });
  for (const [namespace, key, value, isList] of values.filter((row) => !tip(row))) {
    if (!isList) rows.push(setValue(namespace, key, value));
    else
      for (const item of value as unknown[])
        rows.push({ kind: "list", op: "append", namespace, key, value: item });
  }
  rows.push(setValue(TIPS, "main", tree.getLeafId()));
  const header = {
    ...{ v: 4, kind: "header", id, storageVersion: 1, createdAt: Date.parse(timestamp) || 0, cwd },
    ...(parentSession === undefined ? {} : { parentSessionId: parentSession }),
    nextSeq: rows.length + 1,
  };
  return [header, ...rows.map((row, place) => ({ ...(row as object), seq: place + 1 }))].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
}

type Value = [namespace: string, key: string, value: unknown, isList: boolean];

/** What a tree says, as values beside it. */
function own(tree: SessionTree, seen: ReadonlySet<string>): Value[] {
  const values: Value[] = [];
  for (const [entry, label] of Object.entries(tree.getLabels()))
    if (seen.has(entry)) values.push([LABELS, entry, label, false]);
  const name = tree.getSessionName();
  if (name !== undefined) values.push([NAME, "", name, false]);
  return values;
}
