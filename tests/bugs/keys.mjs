// Reading cases. They are data written by others: a key that nobody reads would be a test that tests less than it says.
import assert from "node:assert/strict";

/** The members of an object, read one by one; `done()` fails for those that nobody asked for. */
export class Keys {
  #object;
  #unread;
  #where;

  constructor(object, where) {
    this.#object = object;
    this.#where = where;
    this.#unread = new Set(Object.keys(object));
  }

  get(name, otherwise) {
    this.#unread.delete(name);
    return this.#object[name] ?? otherwise;
  }

  done() {
    if (this.#unread.size > 0)
      throw new Error(`not implemented: ${this.#where}.${[...this.#unread].join(", ")}`);
  }
}

/** Judges every member of `expected` by the function of that name. */
export async function judge(expected, checks) {
  for (const [name, value] of Object.entries(expected)) {
    if (!Object.hasOwn(checks, name)) throw new Error(`not implemented: expected.${name}`);
    await checks[name](value);
  }
}

/** `{"$utf16": "d83d 0020"}` stands for the text with these code units. */
export function revive(_name, value) {
  if (typeof value?.$utf16 !== "string") return value;
  return String.fromCharCode(...value.$utf16.split(" ").map((unit) => Number.parseInt(unit, 16)));
}

/** The given members, and only those, are as expected, at every depth. Lists must be complete. */
export function assertPart(actual, expected, path = "") {
  if (expected === null || typeof expected !== "object") return assert.deepEqual(actual, expected, path);
  if (Array.isArray(expected)) assert.equal(actual?.length, expected.length, `${path}.length`);
  for (const [name, value] of Object.entries(expected)) assertPart(actual?.[name], value, `${path}.${name}`);
}
