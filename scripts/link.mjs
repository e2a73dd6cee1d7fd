// The names between the files of a bundle. A chunk exports what it has under the names that it uses itself, and what a
// file only hands on is exported from where it is.

/** What a file takes from chunks, a statement for each; and the list of what it has for others, which is its end. */
const taken = /import\{([^}]*)\}from"\.{1,2}\/(chunk-[^"]*)";/g;
const had = /export\{([^}]*)\};?(?=\n\/\/# |\n?$)/;

/** `a as b,c` as pairs: what it is called before, and after. */
const pairsOf = (list) =>
  list
    .split(",")
    .map((item) => item.split(" as "))
    .map(([from, to = from]) => [from, to]);
const listOf = (pairs) => pairs.map(([from, to]) => (from === to ? from : `${from} as ${to}`)).join(",");

/** @param {Map<string, { code: string, map: object }>} files by path; changed in place */
export function link(files) {
  /** By chunk: the names inside, by those that others know. */
  const inside = new Map();
  for (const [name, { code }] of files) {
    const list = /^chunk-/.test(name) && code.match(had)?.[1];
    if (list) inside.set(name, new Map(pairsOf(list).map(([own, known]) => [known, own])));
  }
  for (const [name, file] of files) {
    const { code } = file;
    const body = code.replace(taken, "").replace(had, "");
    const uses = (word) => new RegExp(`(?<![\\w$])${word.replaceAll("$", "\\$")}(?![\\w$])`).test(body);
    let exported = inside.has(name) ? [] : pairsOf(code.match(had)?.[1] ?? "");
    let handedOn = "";
    const changes = [];
    const linked = code.replace(taken, (statement, list, from, at) => {
      const kept = [];
      const passed = [];
      for (const [known, local] of pairsOf(list)) {
        const own = inside.get(from).get(known);
        const outside = uses(local) ? [] : exported.filter(([inner]) => inner === local);
        if (outside.length === 0) kept.push([own, local]);
        for (const [, outer] of outside) passed.push([own, outer]);
        exported = exported.filter((pair) => !outside.includes(pair));
      }
      const source = statement.slice(statement.indexOf("}"));
      if (passed.length > 0) handedOn += `export{${listOf(passed)}${source}`;
      const now = kept.length > 0 ? `import{${listOf(kept)}${source}` : "";
      changes.push({ at, before: statement.length, now: now.length });
      return now;
    });
    const list = inside.has(name) ? [...inside.get(name).values()].join(",") : listOf(exported);
    file.code = linked.replace(had, () => handedOn + (list === "" ? "" : `export{${list}};`));
    file.map.mappings = shifted(file.map.mappings, code, changes);
  }
}

/** The mappings of a source map after some stretches of the code, in order, have become shorter or longer. */
function shifted(mappings, code, changes) {
  const placeOf = (old) => {
    let place = old;
    for (const { at, before, now } of changes)
      if (old >= at) place += old < at + before ? Math.min(0, at + now - old) : now - before;
    return place;
  };
  const ends = [...code.matchAll(/\n|$/g)].map(({ index }) => index);
  const lines = mappings.split(";").map((line, number) => {
    const start = number === 0 ? 0 : ends[number - 1] + 1;
    let old = start;
    let last = placeOf(start);
    // A segment begins with how many columns it is behind the one before.
    return line.replace(/[g-z0-9+/]*[A-Za-f][^,]*/g, (segment) => {
      const [columns, rest] = columnsOf(segment);
      old += columns;
      const text = textOf(placeOf(old) - last) + rest;
      last = placeOf(old);
      return text;
    });
  });
  return lines.join(";");
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The number that a segment begins with, least digits first, and the rest. Its lowest bit is a sign, never set here. */
function columnsOf(segment) {
  let value = 0;
  let at = 0;
  for (let weight = 1; ; weight *= 32) {
    const digit = digits.indexOf(segment[at++]);
    value += (digit % 32) * weight;
    if (digit < 32) return [value / 2, segment.slice(at)];
  }
}

function textOf(columns) {
  let rest = columns * 2;
  let text = "";
  for (; rest >= 32; rest = Math.floor(rest / 32)) text += digits[(rest % 32) + 32];
  return text + digits[rest];
}
