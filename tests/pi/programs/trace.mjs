// What a program has seen, as lines that can be compared.

/** Errors of the JavaScript engine say what the code looks like. */
const ENGINE = /^(Cannot (read|set|convert|destructure|use|assign)|undefined|null|.* is (not|undefined)\b)/;

const text = (value) => {
  if (value.startsWith("Validation failed for tool")) {
    // Schema libraries have words of their own; the places and the rest are the same.
    return value.replace(/^( {2}- [^:]*): .*$/gm, "$1: (why)");
  }
  return ENGINE.test(value) ? "(engine)" : value;
};

/** Objects by the order in which they were first seen, so that lines also say which objects are the same. */
class Names {
  #known = new Map();
  of(value) {
    if (!this.#known.has(value)) this.#known.set(value, this.#known.size + 1);
    return this.#known.get(value);
  }
}

export class Trace {
  lines = [];
  #names = new Names();
  #clock;

  constructor(clock) {
    this.#clock = clock;
  }

  say(what, fields = {}) {
    this.#clock.note();
    this.lines.push(`${what} ${JSON.stringify(this.show(fields))}`);
  }

  /** Which object this is. */
  id(value) {
    return typeof value === "object" && value !== null ? `&${this.#names.of(value)}` : this.show(value);
  }

  /** A value as plain JSON: what no two runs share is left out, and what JSON has no word for gets one. */
  show(value, key = "") {
    if (typeof value === "string") return text(value);
    if (typeof value === "function") return "(function)";
    if (typeof value === "number") {
      if (key === "durationMs") return "(ms)";
      return key === "timestamp" && value > 1e12 ? "(now)" : value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof AbortSignal) return value.aborted ? "(aborted)" : "(signal)";
    if (value instanceof Error) return `(error ${text(value.message)})`;
    if (value instanceof Set) return [...value];
    if (value instanceof Date) return `(date ${value.getTime()})`;
    if (Array.isArray(value)) return value.map((item) => this.show(item) ?? null);
    const shown = {};
    for (const name of Object.keys(value).sort()) {
      const field = this.show(value[name], name);
      if (field !== undefined) shown[name] = field;
    }
    return shown;
  }
}

/** The text of whatever was thrown. */
export const thrown = (error) => (error instanceof Error ? error.message : `(no error) ${String(error)}`);
